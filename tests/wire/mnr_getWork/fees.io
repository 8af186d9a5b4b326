// The fees of the pending transactions are decimal text.
// with {"mining": false}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1","gas":"0x5208","gasPrice":"0x3"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x6ab294d6513bfb09963b4bb4d27c9eafb7805b39ab5d121fe0584839b2acbc8d"}
>> {"jsonrpc":"2.0","id":2,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":{"blockHashForMergedMining":"0x218488dc022e2f7f9e2718a20e0ae2a29bcd7e7520f8019764a39ce796d16853","target":"0x5555555555555555555555555555555555555555555555555555555555555555","feesPaidToMiner":"63000","notify":true,"parentBlockHash":"0x438ba82a17adfa4d47d84aa8e24c175f996ad48d96b899763346961b7afa6be2"}}
