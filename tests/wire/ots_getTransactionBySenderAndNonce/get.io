// The hash of the transaction with a nonce; null for one that is not used.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x5","gasPrice":"0x1","gas":"0x5208"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0xe6c099a1d415316767c32e88d9be13416ed8658e88c48e5e3890267638bf91a0"}
>> {"jsonrpc":"2.0","id":2,"method":"ots_getTransactionBySenderAndNonce","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",0]}
<< {"jsonrpc":"2.0","id":2,"result":"0xe6c099a1d415316767c32e88d9be13416ed8658e88c48e5e3890267638bf91a0"}
>> {"jsonrpc":"2.0","id":3,"method":"ots_getTransactionBySenderAndNonce","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x1"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
