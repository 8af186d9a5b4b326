// A transaction is found by its index, without an `_id`.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7663ff7365426dc397f38e4e222b8702feb967acc82a7192e0137ddfa2c95ae9"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionByBlockNumberAndIndex","params":["latest","0x0"]}
<< {"jsonrpc":"2.0","id":2,"result":{"hash":"0x7663ff7365426dc397f38e4e222b8702feb967acc82a7192e0137ddfa2c95ae9","nonce":"0x0","blockHash":"0xfdae6bf0caf76bae162faf4d156bb4e6c4e7bb00115d5af60a4e5e1df61d50a0","blockNumber":"0x1","transactionIndex":"0x0","from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x15f90","gasPrice":"0x0","value":"0x1","input":"0x","v":"0x62","r":"0x8199f09ec3d55219d5dbc191f33cf065fca2530fe36ed2bbe1e827cee5f5bbdd","s":"0x1311b9c54fd18016dccf3c120212fdea42a7fe90eea3dfdb8a921a0d5991c9a5","type":"0x0"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getTransactionByBlockNumberAndIndex","params":["latest","0x1"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getTransactionByBlockNumberAndIndex","params":["0x9","0x0"]}
<< {"jsonrpc":"2.0","id":4,"result":null}
