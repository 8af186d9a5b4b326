// The passphrase unlocks an account; that of funded accounts is empty.
>> {"jsonrpc":"2.0","id":1,"method":"personal_lockAccount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"personal_unlockAccount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","guess"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"wrong passphrase for 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266: a funded account's is empty"}}
>> {"jsonrpc":"2.0","id":3,"method":"personal_unlockAccount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","",60]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"personal_unlockAccount","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d",""]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"no key is held for account 0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"}}
