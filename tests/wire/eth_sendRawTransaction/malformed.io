// Bytes that are not a transaction are an invalid parameter.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"not a signed transaction: want the RLP encoding of one"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendRawTransaction","params":["0x00"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"not a signed transaction: want the RLP encoding of one"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendRawTransaction","params":["0xc0"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"not an RLP-encoded transaction: it has 0 fields, a transaction of type 0 has 9"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendRawTransaction","params":["0xf85f80808252089470997970c51812dc3a010c7d01b50e0d17dc79c8018061a092b9d1c0931729ad71c0b59e3b90abd74192b6c6bfe47f50d6bd65108c7f5550a078c71f6a25127458df3ffe4025158cd1ae1a8f59d2885c058f4aa44ad3b1d7"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"not an RLP-encoded transaction: its bytes end too early, or others follow them"}}
>> {"jsonrpc":"2.0","id":5,"method":"eth_sendRawTransaction","params":["0xf85f80808252089470997970c51812dc3a010c7d01b50e0d17dc79c8018061a092b9d1c0931729ad71c0b59e3b90abd74192b6c6bfe47f50d6bd65108c7f5550a078c71f6a25127458df3ffe4025158cd1ae1a8f59d2885c058f4aa44ad3b1d73200"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"not an RLP-encoded transaction: its bytes end too early, or others follow them"}}
>> {"jsonrpc":"2.0","id":6,"method":"eth_sendRawTransaction","params":["f8"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"argument transaction: want DATA: 0x and hex digits, got 'f8'"}}
