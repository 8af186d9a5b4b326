// A hash has 32 bytes.
>> {"jsonrpc":"2.0","id":1,"method":"ots_getBlockDetailsByHash","params":["0x1"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument block_hash: want an even number of hex digits, got 1"}}
