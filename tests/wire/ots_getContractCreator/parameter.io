// An address has 20 bytes.
>> {"jsonrpc":"2.0","id":1,"method":"ots_getContractCreator","params":["0x12"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument address: want 20 bytes, got 1"}}
