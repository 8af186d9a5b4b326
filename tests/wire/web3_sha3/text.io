// Text that is not DATA is refused.
>> {"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["hello"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument data: want DATA: 0x and hex digits, got 'hello'"}}
>> {"jsonrpc":"2.0","id":2,"method":"web3_sha3","params":["0x1"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument data: want an even number of hex digits, got 1"}}
