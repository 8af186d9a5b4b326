// Pages have a size from 1 to 1000.
>> {"jsonrpc":"2.0","id":1,"method":"ots_searchTransactionsAfter","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"ots_searchTransactionsAfter takes (address, block_number, page_size): got 1 argument"}}
>> {"jsonrpc":"2.0","id":2,"method":"ots_searchTransactionsAfter","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8",0,0]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"the page size is 0: give 1 to 1000"}}
>> {"jsonrpc":"2.0","id":3,"method":"ots_searchTransactionsAfter","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8",0,1001]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"the page size is 1001: give 1 to 1000"}}
>> {"jsonrpc":"2.0","id":4,"method":"ots_searchTransactionsAfter","params":["0x12",0,25]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument address: want 20 bytes, got 1"}}
>> {"jsonrpc":"2.0","id":5,"method":"ots_searchTransactionsAfter","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","latest",25]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"argument block_number: want a QUANTITY such as 0x1f, got 'latest'"}}
