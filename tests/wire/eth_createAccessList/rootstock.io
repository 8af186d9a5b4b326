// It has no effect on Rootstock, but is not an error.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setCode","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x600054"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_createAccessList","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"}]}
<< {"jsonrpc":"2.0","id":2,"result":{"accessList":[{"address":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","storageKeys":["0x0000000000000000000000000000000000000000000000000000000000000000"]}],"gasUsed":"0x52d3"}}
