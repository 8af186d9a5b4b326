// An unknown transaction is an error.
>> {"jsonrpc":"2.0","id":1,"method":"ots_traceTransaction","params":["0x0000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"transaction not found"}}
>> {"jsonrpc":"2.0","id":2,"method":"ots_traceTransaction","params":["0x1"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument transaction_hash: want an even number of hex digits, got 1"}}
