// A hash has 32 bytes.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockByHash","params":["0x1234"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument block_hash: want 32 bytes, got 2"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBlockByHash","params":["latest"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument block_hash: want DATA: 0x and hex digits, got 'latest'"}}
