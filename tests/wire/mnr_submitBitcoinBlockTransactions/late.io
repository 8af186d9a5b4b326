// After another block the submitted block is not the best and is discarded.
>> {"jsonrpc":"2.0","id":1,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"blockHashForMergedMining":"0x95b873079936dce3e6d92d688ef26c2ad080e0d17b77241893a2bba0a4a8eebd","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"0","notify":true,"parentBlockHash":"0x438ba82a17adfa4d47d84aa8e24c175f996ad48d96b899763346961b7afa6be2"}}
>> {"jsonrpc":"2.0","id":2,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
>> {"jsonrpc":"2.0","id":3,"method":"mnr_submitBitcoinBlockTransactions","params":["","020000000000000000000000000000000000000000000000000000000000000000000000350b63c189b513b70441c844ecc2e6f4a96d01843de9165abf7f46e7cb513205000000000000000000000000","02000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0403000000ffffffff0100000000000000002b6a2952534b424c4f434b3a95b873079936dce3e6d92d688ef26c2ad080e0d17b77241893a2bba0a4a8eebd00000000","5ae73c6f74486ecbdf02ad2676aa7584d1bd6f40279b087ed297646493a3f869 cfb97f41e7304c2292c48da932452611d8280956dbe72ceec5ac994128ff818f 107b9c9d176cb3e165d12d5c8f407d6cc1f63fcaabb1cadaa42c63d6912dde4d"]}
<< {"jsonrpc":"2.0","id":3,"result":{"blockImportedResult":"0x494d504f525445445f4e4f545f42455354","blockHash":"0xc41e2a64f469ea8881f783f337d278119ff3a0211c0d0864fda1392391f430f2","blockIncludedHeight":"0x1"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x1"}
