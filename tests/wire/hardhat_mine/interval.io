// Blocks are mined at an interval, the first at the current time; none for 0.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_mine","params":["0x3","0x3c"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBlockByNumber","params":["latest",false]}
<< {"jsonrpc":"2.0","id":2,"result":{"number":"0x3","hash":"0x7e541c03c3d85c3bb83b9bb1704e8439aab282475aaa5df6fbcafb1b8e78849a","parentHash":"0xf1c44df710c39d32a5d3570bdbfd4792a1b4f926d011205f74075675bcd46e71","mixHash":"0x0000000000000000000000000000000000000000000000000000000000000000","nonce":"0x0000000000000000","sha3Uncles":"0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347","logsBloom":"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000","transactionsRoot":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","stateRoot":"0x9cef2007a689bdf924d958dffe84c6958aed70f34a09f6e0126afe9b9f79c902","receiptsRoot":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","miner":"0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d","difficulty":"0x1","totalDifficulty":"0x4","extraData":"0x646576636861696e","size":"0x230","gasLimit":"0x67c280","gasUsed":"0x0","timestamp":"0x6553f179","transactions":[],"uncles":[],"minimumGasPrice":"0x0","bitcoinMergedMiningHeader":"0x0000002000000000000000000000000000000000000000000000000000000000000000006dff3e04383bf1453b07b4654370c307ea310bf21dc892853319dc50086e202c79f15365ffff7f2003000000","bitcoinMergedMiningCoinbaseTransaction":"0x00000000000000006a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd1901000000010000000000000000000000000000000000000000000000000000000000000000ffffffff2b532952534b424c4f434b3a348762cb9f104654c3cf997105f7ead960bbe93e5f419e3973cbc7b088731450ffffffff0100f2052a01000000015100000000","bitcoinMergedMiningMerkleProof":"0x","hashForMergedMining":"0x348762cb9f104654c3cf997105f7ead960bbe93e5f419e3973cbc7b088731450","paidFees":"0x0","cumulativeDifficulty":"0x1","rskPteEdges":[],"baseEvent":null}}
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
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"at most 100000 blocks at once: ask again for the rest"}}
>> {"jsonrpc":"2.0","id":9,"method":"hardhat_mine","params":["0x3","0x0"]}
<< {"jsonrpc":"2.0","id":9,"result":true}
>> {"jsonrpc":"2.0","id":10,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":10,"result":"0x9"}
