// The state before a transaction of a block; an index without one is an error.
>> {"jsonrpc":"2.0","id":1,"method":"evm_setAutomine","params":[false]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208","value":"0x1","gasPrice":"0x0","nonce":"0x0"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x9c474d6206f438751f304574309bcff503d2c4c7847d23cc81b69e1135bebec5"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208","value":"0x1","gasPrice":"0x0","nonce":"0x1"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0xb3c5d0a5dda92750b8f2219bdcf3250378abb5cc0ed387ad191d83b12152a000"}
>> {"jsonrpc":"2.0","id":4,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x0"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getBalance","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8",{"blockNumber":"0x1","transactionIndex":"0x0"}]}
<< {"jsonrpc":"2.0","id":5,"result":"0x21e19e0c9bab2400000"}
>> {"jsonrpc":"2.0","id":6,"method":"eth_getBalance","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8",{"blockNumber":"0x1","transactionIndex":"0x1"}]}
<< {"jsonrpc":"2.0","id":6,"result":"0x21e19e0c9bab2400001"}
>> {"jsonrpc":"2.0","id":7,"method":"eth_getBalance","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8",{"blockNumber":"0x1","transactionIndex":"0x2"}]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"block 1 has 2 transactions, none at index 2"}}
