// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_getFork","params":[1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"devchain_getFork takes no arguments: got 1 argument"}}
