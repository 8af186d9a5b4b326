// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"net_listening","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"net_listening takes no arguments: got 1 argument"}}
