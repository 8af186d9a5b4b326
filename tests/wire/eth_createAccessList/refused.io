// A call is an object.
>> {"jsonrpc":"2.0","id":1,"method":"eth_createAccessList","params":["0x12"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument request: want an object, got text"}}
