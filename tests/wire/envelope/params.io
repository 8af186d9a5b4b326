// Params are an array.
>> {"id":1,"method":"eth_getBalance","params":{}}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"eth_getBalance takes (address, block?) as an array: named params are not supported"}}
>> {"id":1,"method":"eth_getBalance","params":"0x"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params must be an array"}}
>> {"id":1,"method":"eth_getBalance","params":1}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params must be an array"}}
