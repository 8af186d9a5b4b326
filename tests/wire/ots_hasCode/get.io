// A contract has code since the block that created it.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","data":"0x61000a80600c6000396000f3366000600037366000f3","gas":"0x2dc6c0"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x4fa5a6580e8ead6511b5f52a74f1819730b15d40ab406616b5faa17900d5d82b"}
>> {"jsonrpc":"2.0","id":2,"method":"ots_hasCode","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","latest"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"ots_hasCode","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3",0]}
<< {"jsonrpc":"2.0","id":3,"result":false}
>> {"jsonrpc":"2.0","id":4,"method":"ots_hasCode","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"]}
<< {"jsonrpc":"2.0","id":4,"result":false}
