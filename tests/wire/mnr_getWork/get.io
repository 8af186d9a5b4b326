// The hash to commit to and the target; `notify` is true once, and again with another parent.
>> {"jsonrpc":"2.0","id":1,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"blockHashForMergedMining":"0x95b873079936dce3e6d92d688ef26c2ad080e0d17b77241893a2bba0a4a8eebd","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"0","notify":true,"parentBlockHash":"0x438ba82a17adfa4d47d84aa8e24c175f996ad48d96b899763346961b7afa6be2"}}
>> {"jsonrpc":"2.0","id":2,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":{"blockHashForMergedMining":"0x95b873079936dce3e6d92d688ef26c2ad080e0d17b77241893a2bba0a4a8eebd","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"0","notify":false,"parentBlockHash":"0x438ba82a17adfa4d47d84aa8e24c175f996ad48d96b899763346961b7afa6be2"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1","gas":"0x5208"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x9c474d6206f438751f304574309bcff503d2c4c7847d23cc81b69e1135bebec5"}
>> {"jsonrpc":"2.0","id":4,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":{"blockHashForMergedMining":"0x2e3cbb13757ba5ae0f29a7bd105084ef16bf3922cb5f365f2555a45f5f0d7bc7","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"0","notify":true,"parentBlockHash":"0x30fda85684e158a902b1c3cd393919945b416b09608100e7a10374ea16b480d7"}}
