// A block that does not exist is an error.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x1"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found: there is no block 1; the newest block is 0"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0xabababababababababababababababababababababababababababababababab"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"header not found: no block has the hash 0xabababababababababababababababababababababababababababababababab; the newest block is 0"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{"blockHash":"0xabababababababababababababababababababababababababababababababab"}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"header not found: no block has the hash 0xabababababababababababababababababababababababababababababababab; the newest block is 0"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{"blockNumber":"0x1"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"header not found: there is no block 1; the newest block is 0"}}
