// Without an index there is no transaction.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getRawTransactionByBlockNumberAndIndex","params":["latest"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"eth_getRawTransactionByBlockNumberAndIndex takes (block, index): got 1 argument"}}
