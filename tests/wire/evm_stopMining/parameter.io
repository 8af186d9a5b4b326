// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"evm_stopMining","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"evm_stopMining takes no arguments: got 1 argument"}}
