// The next blocks have the price; Ethereum's rules have none.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setMinGasPrice","params":["0x5"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gasPrice":"0x4"}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32010,"message":"transaction's gas price lower than block's minimum: 4 < 5 wei"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_gasPrice","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x6"}
>> {"jsonrpc":"2.0","id":4,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x0"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_gasPrice","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":"0x6"}
