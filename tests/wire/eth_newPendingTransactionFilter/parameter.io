// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"eth_newPendingTransactionFilter","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"eth_newPendingTransactionFilter takes no arguments: got 1 argument"}}
