// After another block the submitted block is not the best and is discarded.
>> {"jsonrpc":"2.0","id":1,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"blockHashForMergedMining":"0xece9ce1f349690161641c577a90b42ad05058959f1a8bae846875b50162333fe","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"0","notify":true,"parentBlockHash":"0x8e0f7858676ae429b05243c1fa2e0638b87fca176c4e80b9ee88db6cd87777ed"}}
>> {"jsonrpc":"2.0","id":2,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
>> {"jsonrpc":"2.0","id":3,"method":"mnr_submitBitcoinBlockTransactions","params":["","0200000000000000000000000000000000000000000000000000000000000000000000009439a074e2f57e25ff603407f0502dcba7aee03818b5bb061f1bda3b056248e7000000000000000002000000","02000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0403000000ffffffff0100000000000000002b6a2952534b424c4f434b3aece9ce1f349690161641c577a90b42ad05058959f1a8bae846875b50162333fe00000000","ef105a80c78e2f1067c09cff3399a72e0dc501a0f0e7962da0bc2777a930c4ce cfb97f41e7304c2292c48da932452611d8280956dbe72ceec5ac994128ff818f 107b9c9d176cb3e165d12d5c8f407d6cc1f63fcaabb1cadaa42c63d6912dde4d"]}
<< {"jsonrpc":"2.0","id":3,"result":{"blockImportedResult":"0x494d504f525445445f4e4f545f42455354","blockHash":"0xf502e9801f5536c92bb7f02ba81ffc343d3002529bee4dfe43edbba968e67de4","blockIncludedHeight":"0x1"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x1"}
