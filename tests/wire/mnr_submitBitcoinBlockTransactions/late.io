// After another block the work is late: it is not the best, and not kept.
>> {"jsonrpc":"2.0","id":1,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"blockHashForMergedMining":"0xc7a78ad2c4f85290b255017bc559071eaed9e24299dc22f63e4baaf75916d1b1","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"0","notify":true,"parentBlockHash":"0xeaa3b8e761564d9b4280d2fb1e2cfa3b1ae186a2d124749b35952e81f990af02"}}
>> {"jsonrpc":"2.0","id":2,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
>> {"jsonrpc":"2.0","id":3,"method":"mnr_submitBitcoinBlockTransactions","params":["","020000000000000000000000000000000000000000000000000000000000000000000000a2da586a49e1c180fc116a4bdcc69754610a2c6597c08b9936a9cd8f87a36cde000000000000000005000000","02000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0403000000ffffffff0100000000000000002b6a2952534b424c4f434b3ac7a78ad2c4f85290b255017bc559071eaed9e24299dc22f63e4baaf75916d1b100000000","56ffe89d42d31fd57a228c872b09f6bbd2f5203d4aa9067471e66a90d2badd24 cfb97f41e7304c2292c48da932452611d8280956dbe72ceec5ac994128ff818f 107b9c9d176cb3e165d12d5c8f407d6cc1f63fcaabb1cadaa42c63d6912dde4d"]}
<< {"jsonrpc":"2.0","id":3,"result":{"blockImportedResult":"0x494d504f525445445f4e4f545f42455354","blockHash":"0x35d0b6f015ce5bed0a768f3147db67e5b00725f201166a152dd17c9fe6c921d1","blockIncludedHeight":"0x1"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x1"}
