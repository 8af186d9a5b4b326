// There are no uncles.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getUncleByBlockNumberAndIndex","params":["latest","0x0"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getUncleByBlockNumberAndIndex","params":["latest"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"eth_getUncleByBlockNumberAndIndex takes (block, index): got 1 argument"}}
