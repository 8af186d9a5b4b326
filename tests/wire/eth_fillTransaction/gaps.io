// Missing members are filled in, to be signed by the client; nothing is sent.
>> {"jsonrpc":"2.0","id":1,"method":"eth_fillTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x5"}]}
<< {"jsonrpc":"2.0","id":1,"result":{"raw":"0xdf80808252089470997970c51812dc3a010c7d01b50e0d17dc79c80580808080","tx":{"hash":"0x87cea2b4d09cd304415e0e15bb4416f605995ab4403e03f56d78d10c6d747912","nonce":"0x0","blockHash":null,"blockNumber":null,"transactionIndex":null,"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208","gasPrice":"0x0","value":"0x5","input":"0x","v":"0x0","r":"0x0","s":"0x0","type":"0x0"}}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionCount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","pending"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_fillTransaction","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"from is missing: name the account that sends"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_fillTransaction","params":[{"from":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x5"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"insufficient funds for transfer: balance 0 wei, cost 5 wei; the sender is 0x0b0d0b0d0b0D0b0d0b0D0b0d0B0d0B0D0b0D0B0d"}}
