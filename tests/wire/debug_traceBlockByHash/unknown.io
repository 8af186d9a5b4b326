// An unknown block is an error.
>> {"jsonrpc":"2.0","id":1,"method":"debug_traceBlockByHash","params":["0x0000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found: no block has the hash 0x0000000000000000000000000000000000000000000000000000000000000000; the newest block is 0"}}
