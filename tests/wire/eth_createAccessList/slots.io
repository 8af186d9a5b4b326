// Accounts and slots are listed, with the gas used, and an error if the call fails.
// with {"hardfork": "prague"}
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setCode","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x6000547370997970c51812dc3a010c7d01b50e0d17dc79c83100"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_createAccessList","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"}]}
<< {"jsonrpc":"2.0","id":2,"result":{"accessList":[{"address":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","storageKeys":["0x0000000000000000000000000000000000000000000000000000000000000000"]},{"address":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","storageKeys":[]}],"gasUsed":"0x6d02"}}
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_setCode","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x60075460006000fd"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_createAccessList","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"}]}
<< {"jsonrpc":"2.0","id":4,"result":{"accessList":[{"address":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","storageKeys":["0x0000000000000000000000000000000000000000000000000000000000000007"]}],"gasUsed":"0x6341","error":"execution reverted"}}
>> {"jsonrpc":"2.0","id":5,"method":"eth_createAccessList","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":5,"result":{"accessList":[],"gasUsed":"0x5208"}}
