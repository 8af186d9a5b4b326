// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"evm_startMining","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"evm_startMining takes no arguments: got 1 argument"}}
