// The slot that `balanceOf` reads is found and written for each account.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setCode","params":["0x7070707070707070707070707070707070707070","0x36600490038060046000376000205460005260206000f3"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"tenderly_setErc20Balance","params":["0x7070707070707070707070707070707070707070",["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x70997970c51812dc3a010c7d01b50e0d17dc79c8"],"0x64"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"to":"0x7070707070707070707070707070707070707070","data":"0x70a0823100000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0000000000000000000000000000000000000000000000000000000000000064"}
>> {"jsonrpc":"2.0","id":4,"method":"tenderly_setErc20Balance","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x64"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8 does not keep this number in one slot: it is no token, or calculates the number; write its storage with set_storage (anvil_setStorageAt)"}}
