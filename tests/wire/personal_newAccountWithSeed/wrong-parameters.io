// Missing, surplus and mistyped parameters are refused by name.
>> {"jsonrpc":"2.0","id":1,"method":"personal_newAccountWithSeed","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"personal_newAccountWithSeed takes (seed): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"personal_newAccountWithSeed","params":[1.5]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument seed: want a string, got a fraction"}}
>> {"jsonrpc":"2.0","id":3,"method":"personal_newAccountWithSeed","params":["0x0","0x0"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"personal_newAccountWithSeed takes (seed): got 2 arguments"}}
