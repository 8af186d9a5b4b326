// A method without parameters refuses a parameter.
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"eth_chainId takes no arguments: got 1 argument"}}
