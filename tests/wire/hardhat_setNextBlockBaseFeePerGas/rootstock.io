// On Rootstock it sets the next block's minimum gas price.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setNextBlockBaseFeePerGas","params":["0x64"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0xe20dab16b2e48930d30ee20d6e659aaf751844f0d587d429396ecb1e8b1a6312"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getTransactionByHash","params":["{{2}}"]}
<< {"jsonrpc":"2.0","id":3,"result":{"hash":"0xe20dab16b2e48930d30ee20d6e659aaf751844f0d587d429396ecb1e8b1a6312","nonce":"0x0","blockHash":"0xd172472c2dc248354c5e62e5c4fc08b8edb0b00400baa832866bb1480c3d1c9c","blockNumber":"0x1","transactionIndex":"0x0","from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x15f90","gasPrice":"0x64","value":"0x0","input":"0x","v":"0x62","r":"0x1e1bf0cce5250656b0beee2cbdfd4880bd5d8d4384795391451f24f11cc202e","s":"0x6994598d9c213d00a9ab2eb0d9a3303d2b5882f66621c022e5a8dd5cd7501da0","type":"0x0"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_gasPrice","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x6d"}
