// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_metadata","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"hardhat_metadata takes no arguments: got 1 argument"}}
