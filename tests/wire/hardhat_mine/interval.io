// Blocks are made at an interval, the first at the time it is; none if none is asked for.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_mine","params":["0x3","0x3c"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBlockByNumber","params":["latest",false]}
<< {"jsonrpc":"2.0","id":2,"result":{"number":"0x3","hash":"0xea5557c549214b14563ad801c6c6be5e7f3fe6292c278062053fba77dd18cdf2","parentHash":"0x6694773bece0ef2e6231a0f226ffde414bb6d712444bba92a1736a90a540e8b0","mixHash":"0x0000000000000000000000000000000000000000000000000000000000000000","nonce":"0x0000000000000000","sha3Uncles":"0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347","logsBloom":"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000","transactionsRoot":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","stateRoot":"0xe914d7e6a70676d0aecddd6b3e1110d78639f4e45a167334b8ba589316f48632","receiptsRoot":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","miner":"0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d","difficulty":"0x1","totalDifficulty":"0x4","extraData":"0x646576636861696e","size":"0x22f","gasLimit":"0x67c280","gasUsed":"0x0","timestamp":"0x6553f179","transactions":[],"uncles":[],"minimumGasPrice":"0x0","bitcoinMergedMiningHeader":"0x00000020000000000000000000000000000000000000000000000000000000000000000067f19fa497d888b73219251fa5e609da5c00f55d6b3dda3dd83224c4afac4edf79f15365ffff7f2001000000","bitcoinMergedMiningCoinbaseTransaction":"0x00000000000000006a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd1901000000010000000000000000000000000000000000000000000000000000000000000000ffffffff2b532952534b424c4f434b3a2cb69c7d428ae1210430799761bfca8679b6038b12194e5d3807374d05d4ebc3ffffffff0100f2052a01000000015100000000","bitcoinMergedMiningMerkleProof":"0x","hashForMergedMining":"0x2cb69c7d428ae1210430799761bfca8679b6038b12194e5d3807374d05d4ebc3","paidFees":"0x0","cumulativeDifficulty":"0x1"}}
>> {"jsonrpc":"2.0","id":3,"method":"anvil_mine","params":[2]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x5"}
>> {"jsonrpc":"2.0","id":5,"method":"hardhat_mine","params":["0x0"]}
<< {"jsonrpc":"2.0","id":5,"result":true}
>> {"jsonrpc":"2.0","id":6,"method":"hardhat_mine","params":[]}
<< {"jsonrpc":"2.0","id":6,"result":true}
>> {"jsonrpc":"2.0","id":7,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":7,"result":"0x6"}
>> {"jsonrpc":"2.0","id":8,"method":"hardhat_mine","params":["0x3d0900"]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"at most 10000 blocks at once: ask again for the rest"}}
