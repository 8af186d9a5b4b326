// Under Ethereum's rules the local network has the chain id of Hardhat and anvil.
// with {"hardfork": "prague", "network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7a69"}
>> {"jsonrpc":"2.0","id":2,"method":"net_version","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"31337"}
