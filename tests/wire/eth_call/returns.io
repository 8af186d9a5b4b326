// A call returns the data that the contract returns.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x2dc6c0","data":"0x61000a80600c6000396000f3366000600037366000f3"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x4fa5a6580e8ead6511b5f52a74f1819730b15d40ab406616b5faa17900d5d82b"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_call","params":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","data":"0x1234"},"latest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x1234"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","input":"0x1234"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x1234"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x"}
