// Missing, surplus and mistyped parameters are refused by name.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getUncleCountByBlockNumber","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"eth_getUncleCountByBlockNumber takes (block): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getUncleCountByBlockNumber","params":[1.5]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument block: want a block number, tag or hash: want a QUANTITY such as 0x1f, got a fraction; tags are latest, earliest, pending, safe, finalized"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getUncleCountByBlockNumber","params":["0x0","0x0"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"eth_getUncleCountByBlockNumber takes (block): got 2 arguments"}}
