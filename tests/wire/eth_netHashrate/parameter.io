// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"eth_netHashrate","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"eth_netHashrate takes no arguments: got 1 argument"}}
