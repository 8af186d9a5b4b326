// Pages have a size from 1 to 1000.
>> {"jsonrpc":"2.0","id":1,"method":"ots_getBlockTransactions","params":[0,0]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"ots_getBlockTransactions takes (block, page_number, page_size): got 2 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"ots_getBlockTransactions","params":[0,0,0]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"the page size is 0: give 1 to 1000"}}
>> {"jsonrpc":"2.0","id":3,"method":"ots_getBlockTransactions","params":[0,0,1001]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"the page size is 1001: give 1 to 1000"}}
>> {"jsonrpc":"2.0","id":4,"method":"ots_getBlockTransactions","params":[0,-1,25]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument page_number: -1 is negative"}}
