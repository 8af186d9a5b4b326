// The hash to commit to and the target; it is news once, and again with another parent.
>> {"jsonrpc":"2.0","id":1,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"blockHashForMergedMining":"0xc7a78ad2c4f85290b255017bc559071eaed9e24299dc22f63e4baaf75916d1b1","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"0","notify":true,"parentBlockHash":"0xeaa3b8e761564d9b4280d2fb1e2cfa3b1ae186a2d124749b35952e81f990af02"}}
>> {"jsonrpc":"2.0","id":2,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":{"blockHashForMergedMining":"0xc7a78ad2c4f85290b255017bc559071eaed9e24299dc22f63e4baaf75916d1b1","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"0","notify":false,"parentBlockHash":"0xeaa3b8e761564d9b4280d2fb1e2cfa3b1ae186a2d124749b35952e81f990af02"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1","gas":"0x5208"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x9c474d6206f438751f304574309bcff503d2c4c7847d23cc81b69e1135bebec5"}
>> {"jsonrpc":"2.0","id":4,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":{"blockHashForMergedMining":"0x1c15971c95976a569ce5b1f1ec9aa8971db4d4823f457c8324c889ac4579e493","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"0","notify":true,"parentBlockHash":"0x6bcc0c51ef7c1c6582474f45c4c76fc6510ac99a8013c78232007e08dee20af5"}}
