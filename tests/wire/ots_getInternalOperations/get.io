// A transfer by a contract is internal, that of the transaction is not.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","data":"0x61002c80600c6000396000f360203603602060003760006000602036036000346000355af13d600060003e610027573d6000fd5b3d6000f3","gas":"0x2dc6c0"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0xb2d8d25f2ab0234b999999f5ce703ecb539da0d9d8215b9e390e217a3dcd5be9"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","value":"0x7","gas":"0x186a0","data":"0x00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0ce6829fb957c5cbf6debd4cce075585bbc5a708504dde1a107322ba1489d9fd"}
>> {"jsonrpc":"2.0","id":3,"method":"ots_getInternalOperations","params":["{{2}}"]}
<< {"jsonrpc":"2.0","id":3,"result":[{"type":0,"from":"0x5fbdb2315678afecb367f032d93f642f64180aa3","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x7"}]}
>> {"jsonrpc":"2.0","id":4,"method":"ots_getInternalOperations","params":["{{1}}"]}
<< {"jsonrpc":"2.0","id":4,"result":[]}
