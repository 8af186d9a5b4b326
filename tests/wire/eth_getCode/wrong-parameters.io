// Missing, surplus and mistyped parameters are refused by name.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"eth_getCode takes (address, block?): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getCode","params":[1.5]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument address: want DATA such as 0x12ab, got a fraction"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getCode","params":["0x0","0x0","0x0"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"eth_getCode takes (address, block?): got 3 arguments"}}
