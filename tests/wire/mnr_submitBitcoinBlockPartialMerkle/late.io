// After another block the work is late: it is not the best, and not kept.
>> {"jsonrpc":"2.0","id":1,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"blockHashForMergedMining":"0xc7a78ad2c4f85290b255017bc559071eaed9e24299dc22f63e4baaf75916d1b1","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"0","notify":true,"parentBlockHash":"0xeaa3b8e761564d9b4280d2fb1e2cfa3b1ae186a2d124749b35952e81f990af02"}}
>> {"jsonrpc":"2.0","id":2,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
>> {"jsonrpc":"2.0","id":3,"method":"mnr_submitBitcoinBlockPartialMerkle","params":["","020000000000000000000000000000000000000000000000000000000000000000000000a2da586a49e1c180fc116a4bdcc69754610a2c6597c08b9936a9cd8f87a36cde000000000000000005000000","02000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0403000000ffffffff0100000000000000002b6a2952534b424c4f434b3ac7a78ad2c4f85290b255017bc559071eaed9e24299dc22f63e4baaf75916d1b100000000","24ddbad2906ae6717406a94a3d20f5d2bbf6092b878c227ad51fd3429de8ff56 8f81ff284199acc5ee2ce7db560928d811264532a98dc492224c30e7417fb9cf 588d299e6a4b86ed47a72fb990a2aec99115ccee6d0f1e28e85346f803619e30","3"]}
<< {"jsonrpc":"2.0","id":3,"result":{"blockImportedResult":"0x494d504f525445445f4e4f545f42455354","blockHash":"0x35d0b6f015ce5bed0a768f3147db67e5b00725f201166a152dd17c9fe6c921d1","blockIncludedHeight":"0x1"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x1"}
