// A mined or pending transaction of a sender; null for a nonce that is not used.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0xb341151019feac6b1c0fe561743309521324c0bf6cfba4e489bd9dc0881f4e77"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionBySenderAndNonce","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x0"]}
<< {"jsonrpc":"2.0","id":2,"result":{"hash":"0xb341151019feac6b1c0fe561743309521324c0bf6cfba4e489bd9dc0881f4e77","nonce":"0x0","blockHash":"0xe53239414d87ee294e16feaff50f65dcbad3c7d3b54080a4af52145d23956d88","blockNumber":"0x1","transactionIndex":"0x0","from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x15f90","gasPrice":"0x0","value":"0x0","input":"0x","v":"0x61","r":"0xc78488e8751a7505796f7a6423f1a87e8c723cf237b187f6daf509fe29a06af7","s":"0x7124dc3f463a9a8919a1d8a8a7def40049e76bbbd16b4bd0dd2dc824770a2be3","type":"0x0"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getTransactionBySenderAndNonce","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x1"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getTransactionBySenderAndNonce","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"eth_getTransactionBySenderAndNonce takes (sender, nonce): got 1 argument"}}
