// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"web3_clientVersion","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"web3_clientVersion takes no arguments: got 1 argument"}}
