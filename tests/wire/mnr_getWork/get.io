// The hash to commit to and the target; `notify` is true once, and again with another parent.
>> {"jsonrpc":"2.0","id":1,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"blockHashForMergedMining":"0xece9ce1f349690161641c577a90b42ad05058959f1a8bae846875b50162333fe","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"0","notify":true,"parentBlockHash":"0x8e0f7858676ae429b05243c1fa2e0638b87fca176c4e80b9ee88db6cd87777ed"}}
>> {"jsonrpc":"2.0","id":2,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":{"blockHashForMergedMining":"0xece9ce1f349690161641c577a90b42ad05058959f1a8bae846875b50162333fe","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"0","notify":false,"parentBlockHash":"0x8e0f7858676ae429b05243c1fa2e0638b87fca176c4e80b9ee88db6cd87777ed"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1","gas":"0x5208"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x9c474d6206f438751f304574309bcff503d2c4c7847d23cc81b69e1135bebec5"}
>> {"jsonrpc":"2.0","id":4,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":{"blockHashForMergedMining":"0x72c8d9c8e538adb9d420dcbc9d94daca2903e3a5ed649466a22d145aab9ccbbd","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"0","notify":true,"parentBlockHash":"0x6bebbd814a6c3e86de27b90ae9d016da85b27223ff8fa106cd1bb23be0c26e14"}}
