// It takes no parameter.
>> {"jsonrpc":"2.0","id":1,"method":"eth_config","params":["0x1"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"eth_config takes no arguments: got 1 argument"}}
