// The passphrase decrypts the key for one transaction.
>> {"jsonrpc":"2.0","id":1,"method":"personal_lockAccount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"personal_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},""]}
<< {"jsonrpc":"2.0","id":2,"result":"0xb341151019feac6b1c0fe561743309521324c0bf6cfba4e489bd9dc0881f4e77"}
>> {"jsonrpc":"2.0","id":3,"method":"personal_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"guess"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"wrong passphrase for 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266: a funded account's is empty"}}
