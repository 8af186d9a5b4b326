// A hash has 32 bytes.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getRawTransactionByBlockHashAndIndex","params":["0x12","0x0"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument block_hash: want 32 bytes, got 1"}}
