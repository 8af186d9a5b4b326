// A pending or unknown transaction has no receipt.
// with {"mining": false}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7663ff7365426dc397f38e4e222b8702feb967acc82a7192e0137ddfa2c95ae9"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionReceipt","params":["{{1}}"]}
<< {"jsonrpc":"2.0","id":2,"result":null}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getTransactionReceipt","params":["0xabababababababababababababababababababababababababababababababab"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
