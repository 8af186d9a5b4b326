// An unknown block is an error.
>> {"jsonrpc":"2.0","id":1,"method":"debug_traceBlockByNumber","params":["0x9"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found: there is no block 9; the newest block is 0"}}
