// Values that are not a block parameter are refused.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","newest"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument block: want a block number, tag or hash: want a QUANTITY such as 0x1f, got 'newest'; tags are latest, earliest, pending, safe, finalized"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument block: want exactly one of blockHash and blockNumber"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{"blockHash":"0xabababababababababababababababababababababababababababababababab","blockNumber":"0x0"}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"argument block: want exactly one of blockHash and blockNumber"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{"blockHash":"0xabababababababababababababababababababababababababababababababab","requireCanonical":"yes"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument block: requireCanonical: want true or false, got text"}}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{"hash":"0xabababababababababababababababababababababababababababababababab"}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"argument block: unknown member 'hash': known are blockHash, blockNumber, requireCanonical"}}
