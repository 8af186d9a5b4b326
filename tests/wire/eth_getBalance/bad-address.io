// An address has 20 bytes.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x1234"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument address: want 20 bytes, got 2"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBalance","params":["f39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument address: want DATA: 0x and hex digits, got 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266'"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBalance","params":[1]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"argument address: want DATA such as 0x12ab, got a number"}}
