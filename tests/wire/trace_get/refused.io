// It takes exactly one position.
>> {"jsonrpc":"2.0","id":1,"method":"trace_get","params":["0x0000000000000000000000000000000000000000000000000000000000000000",[]]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"'positions' cannot be null or empty"}}
>> {"jsonrpc":"2.0","id":2,"method":"trace_get","params":["0x0000000000000000000000000000000000000000000000000000000000000000",["0x0","0x1"]]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"'positions' accepts only one index"}}
