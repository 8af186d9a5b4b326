// Under Ethereum's rules counts are QUANTITY.
// with {"hardfork": "prague", "mining": false}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0xa316a8389e9109c998a0ed2ef3300711d5d90bc6d3504ed0181d290c5bfe1d5a"}
>> {"jsonrpc":"2.0","id":2,"method":"txpool_status","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":{"pending":"0x1","queued":"0x0"}}
