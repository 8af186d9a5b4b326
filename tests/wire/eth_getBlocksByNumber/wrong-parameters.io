// Missing and mistyped parameters are refused by name.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlocksByNumber","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"eth_getBlocksByNumber takes (number): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBlocksByNumber","params":["latest"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument number: want a QUANTITY such as 0x1f, got 'latest'"}}
