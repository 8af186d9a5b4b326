// An unknown block and a short address are errors.
>> {"jsonrpc":"2.0","id":1,"method":"ots_hasCode","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8",9]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found: there is no block 9; the newest block is 0"}}
>> {"jsonrpc":"2.0","id":2,"method":"ots_hasCode","params":["0x12"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument address: want 20 bytes, got 1"}}
