// Under Ethereum's rules since London it is the usual priority fee.
// with {"hardfork": "prague"}
>> {"jsonrpc":"2.0","id":1,"method":"miner_setGasPrice","params":["0x493e0"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_maxPriorityFeePerGas","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x493e0"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_gasPrice","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x342c04a0"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":4,"result":"0xc80908680ee26e0abf1d665ff6770c9abb8961aa9ede5b0ca473b81f40a9eee0"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getTransactionReceipt","params":["{{4}}"]}
<< {"jsonrpc":"2.0","id":5,"result":{"transactionHash":"0xc80908680ee26e0abf1d665ff6770c9abb8961aa9ede5b0ca473b81f40a9eee0","transactionIndex":"0x0","blockHash":"0x215f66fc5e8e8ed1af7739f5ba8250505c8cc4634d60b9abe4fc3ce8dcd50a24","blockNumber":"0x1","cumulativeGasUsed":"0x5208","gasUsed":"0x5208","contractAddress":null,"logs":[],"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","status":"0x1","logsBloom":"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000","type":"0x2","effectiveGasPrice":"0x342c04a0"}}
