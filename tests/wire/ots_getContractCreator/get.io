// The transaction that created a contract, and who sent it; null for other accounts.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","data":"0x61001380600c6000396000f336600060003736600034f060005260206000f3","gas":"0x2dc6c0"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x02b1e46ef04efbf19a2048abdec5b8574b8642d02681ba2c392bc253db3f604c"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x186a0","data":"0x61000a80600c6000396000f3366000600037366000f3"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0xdd1dd96cbc78858abe7c564facc008ed890dd486b54b21bcd1f3737a7cfffa40"}
>> {"jsonrpc":"2.0","id":3,"method":"ots_getContractCreator","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3"]}
<< {"jsonrpc":"2.0","id":3,"result":{"hash":"0x02b1e46ef04efbf19a2048abdec5b8574b8642d02681ba2c392bc253db3f604c","creator":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"}}
>> {"jsonrpc":"2.0","id":4,"method":"ots_getContractCreator","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"]}
<< {"jsonrpc":"2.0","id":4,"result":null}
