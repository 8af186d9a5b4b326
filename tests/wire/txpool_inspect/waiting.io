// Transactions are lines of text.
// with {"mining": false}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7663ff7365426dc397f38e4e222b8702feb967acc82a7192e0137ddfa2c95ae9"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x2","nonce":"0x3"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0xc959e888b0b54bac74b2d0e78b4ed5dee6dc3de76bf4f33ca8183e060c5bdf27"}
>> {"jsonrpc":"2.0","id":3,"method":"txpool_inspect","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":{"pending":{"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266":{"0":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8: 1 wei + 90000 gas x 0 wei"}},"queued":{"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266":{"3":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8: 2 wei + 90000 gas x 0 wei"}}}}
