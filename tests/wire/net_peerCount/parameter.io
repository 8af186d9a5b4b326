// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"net_peerCount","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"net_peerCount takes no arguments: got 1 argument"}}
