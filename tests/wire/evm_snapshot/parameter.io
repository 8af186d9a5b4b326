// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"evm_snapshot","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"evm_snapshot takes no arguments: got 1 argument"}}
