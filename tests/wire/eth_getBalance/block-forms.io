// A block is given by number, tag, hash or EIP-1898 object.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["0x0"]}
<< {"jsonrpc":"2.0","id":1,"result":{"number":"0x0","hash":"0x438ba82a17adfa4d47d84aa8e24c175f996ad48d96b899763346961b7afa6be2","parentHash":"0x0000000000000000000000000000000000000000000000000000000000000000","mixHash":"0x0000000000000000000000000000000000000000000000000000000000000000","nonce":"0x0000000000000000","sha3Uncles":"0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347","logsBloom":"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000","transactionsRoot":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","stateRoot":"0x9cef2007a689bdf924d958dffe84c6958aed70f34a09f6e0126afe9b9f79c902","receiptsRoot":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","miner":"0x3333333333333333333333333333333333333333","difficulty":"0x1","totalDifficulty":"0x1","extraData":"0x646576636861696e","size":"0x1dd","gasLimit":"0x67c280","gasUsed":"0x0","timestamp":"0x6553f100","transactions":[],"uncles":[],"minimumGasPrice":"0x0","bitcoinMergedMiningHeader":"0x","bitcoinMergedMiningCoinbaseTransaction":"0x","bitcoinMergedMiningMerkleProof":"0x","hashForMergedMining":"0x438ba82a17adfa4d47d84aa8e24c175f996ad48d96b899763346961b7afa6be2","paidFees":"0x0","cumulativeDifficulty":"0x1","rskPteEdges":null,"baseEvent":null}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x0"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x21e19e0c9bab2400000"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",0]}
<< {"jsonrpc":"2.0","id":3,"result":"0x21e19e0c9bab2400000"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","earliest"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x21e19e0c9bab2400000"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","pending"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x21e19e0c9bab2400000"}
>> {"jsonrpc":"2.0","id":6,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","{{1.hash}}"]}
<< {"jsonrpc":"2.0","id":6,"result":"0x21e19e0c9bab2400000"}
>> {"jsonrpc":"2.0","id":7,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{"blockHash":"{{1.hash}}","requireCanonical":true}]}
<< {"jsonrpc":"2.0","id":7,"result":"0x21e19e0c9bab2400000"}
>> {"jsonrpc":"2.0","id":8,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{"blockNumber":"0x0"}]}
<< {"jsonrpc":"2.0","id":8,"result":"0x21e19e0c9bab2400000"}
