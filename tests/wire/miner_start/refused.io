// Surplus and mistyped parameters are refused by name.
>> {"jsonrpc":"2.0","id":1,"method":"miner_start","params":[1,2]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"miner_start takes (threads?): got 2 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"miner_start","params":["many"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument threads: want a QUANTITY such as 0x1f, got 'many'"}}
