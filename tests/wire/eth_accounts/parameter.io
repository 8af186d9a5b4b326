// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"eth_accounts","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"eth_accounts takes no arguments: got 1 argument"}}
