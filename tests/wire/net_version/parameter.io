// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"net_version","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"net_version takes no arguments: got 1 argument"}}
