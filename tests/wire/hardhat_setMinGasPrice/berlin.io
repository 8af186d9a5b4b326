// Before London Ethereum's rules have a minimum gas price, which the header does not show.
// with {"hardfork": "berlin"}
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setMinGasPrice","params":["0x5"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gasPrice":"0x4"}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32010,"message":"transaction's gas price lower than block's minimum: 4 < 5 wei"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gasPrice":"0x5"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x434ba49673dc3afd90cec736c182a9a317d6790aed9d0bcc30eedfb002758bf2"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_gasPrice","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x3b9aca05"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_baseFee","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":"0x0"}
