// Missing, surplus and mistyped parameters are refused by name.
>> {"jsonrpc":"2.0","id":1,"method":"trace_transaction","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"trace_transaction takes (transaction_hash): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"trace_transaction","params":[1.5]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument transaction_hash: want DATA such as 0x12ab, got a fraction"}}
>> {"jsonrpc":"2.0","id":3,"method":"trace_transaction","params":["0x0","0x0"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"trace_transaction takes (transaction_hash): got 2 arguments"}}
