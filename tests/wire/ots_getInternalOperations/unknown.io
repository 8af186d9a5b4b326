// An unknown transaction is an error.
>> {"jsonrpc":"2.0","id":1,"method":"ots_getInternalOperations","params":["0x0000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"transaction not found"}}
