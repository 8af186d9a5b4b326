// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"rpc_modules","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"rpc_modules takes no arguments: got 1 argument"}}
