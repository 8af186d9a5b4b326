// Missing, surplus and mistyped parameters are refused by name.
>> {"jsonrpc":"2.0","id":1,"method":"evm_setAutomine","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"evm_setAutomine takes (enabled): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"evm_setAutomine","params":[1.5]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument enabled: want true or false, got a fraction"}}
>> {"jsonrpc":"2.0","id":3,"method":"evm_setAutomine","params":["0x0","0x0"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"evm_setAutomine takes (enabled): got 2 arguments"}}
