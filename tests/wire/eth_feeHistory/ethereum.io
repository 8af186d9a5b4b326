// The next block's base fee is the last entry.
// with {"hardfork": "prague"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x387bc506d7b94c0fa2f34601828b3ccdfb29736ae547394c47866d9b988b9c5c"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_feeHistory","params":["0x400","pending",[25]]}
<< {"jsonrpc":"2.0","id":2,"result":{"oldestBlock":"0x0","baseFeePerGas":["0x3b9aca00","0x342770c0","0x2dacd188","0x27f73757"],"gasUsedRatio":[0.0,0.003088235294117647,0.0],"reward":[["0x0"],["0x3b9aca00"],["0x0"]]}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_feeHistory","params":[1,"0x0",[]]}
<< {"jsonrpc":"2.0","id":3,"result":{"oldestBlock":"0x0","baseFeePerGas":["0x3b9aca00","0x342770c0"],"gasUsedRatio":[0.0]}}
