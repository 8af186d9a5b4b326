// Missing, surplus and mistyped parameters are refused by name.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_dropTransaction","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"hardhat_dropTransaction takes (transaction_hash): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_dropTransaction","params":[1.5]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument transaction_hash: want DATA such as 0x12ab, got a fraction"}}
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_dropTransaction","params":["0x0","0x0"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"hardhat_dropTransaction takes (transaction_hash): got 2 arguments"}}
