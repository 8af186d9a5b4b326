// A key is removed with its passphrase, an impersonated account without one.
>> {"jsonrpc":"2.0","id":1,"method":"evm_removeAccount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","wrong"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"wrong passphrase for 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266: a funded account's is empty"}}
>> {"jsonrpc":"2.0","id":2,"method":"evm_removeAccount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",""]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"evm_removeAccount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",""]}
<< {"jsonrpc":"2.0","id":3,"result":false}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"no key is held for account 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"}}
>> {"jsonrpc":"2.0","id":5,"method":"evm_addAccount","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d",""]}
<< {"jsonrpc":"2.0","id":5,"result":true}
>> {"jsonrpc":"2.0","id":6,"method":"evm_removeAccount","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d",""]}
<< {"jsonrpc":"2.0","id":6,"result":true}
