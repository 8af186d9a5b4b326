// Missing, surplus and mistyped parameters are refused by name.
>> {"jsonrpc":"2.0","id":1,"method":"evm_mine_detailed","params":[1.5]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument request: want a QUANTITY such as 0x1f, got a fraction"}}
>> {"jsonrpc":"2.0","id":2,"method":"evm_mine_detailed","params":["0x0","0x0"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"evm_mine_detailed takes (request?): got 2 arguments"}}
