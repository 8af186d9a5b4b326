// A hash has 32 bytes.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getRawTransactionByHash","params":["0x12"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument transaction_hash: want 32 bytes, got 1"}}
