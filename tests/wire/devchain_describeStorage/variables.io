// Slots of a contract with the variables of its layout, at a block; without a layout none are known.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x30d40","data":"0x6005600c60003960056000f33360005500"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x3a25317282a5bfe05b7357e3ed6f09ad31ef770208e5d3c1b538a1025583550e"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x30d40"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x9521408ff6fb065440e341c8d916c4e67e3a290ad6870b8a961e304135ab658b"}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_describeStorage","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3"]}
<< {"jsonrpc":"2.0","id":3,"result":[{"slot":"0x0000000000000000000000000000000000000000000000000000000000000000","word":"0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266","variables":[]}]}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_addArtifacts","params":[{"contractName":"Owned","abi":[],"bytecode":"0x6005600c60003960056000f33360005500","deployedBytecode":"0x3360005500","storageLayout":{"storage":[{"label":"owner","offset":0,"slot":"0","type":"t_address"},{"label":"open","offset":20,"slot":"0","type":"t_bool"}],"types":{"t_address":{"encoding":"inplace","label":"address","numberOfBytes":"20"},"t_bool":{"encoding":"inplace","label":"bool","numberOfBytes":"1"}}}}]}
<< {"jsonrpc":"2.0","id":4,"result":["Owned"]}
>> {"jsonrpc":"2.0","id":5,"method":"devchain_describeStorage","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3"]}
<< {"jsonrpc":"2.0","id":5,"result":[{"slot":"0x0000000000000000000000000000000000000000000000000000000000000000","word":"0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266","variables":[{"name":"owner","type":"address","value":"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"},{"name":"open","type":"bool","value":"false"}]}]}
>> {"jsonrpc":"2.0","id":6,"method":"devchain_describeStorage","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3",["0x0","0x7"],"0x1"]}
<< {"jsonrpc":"2.0","id":6,"result":[{"slot":"0x0000000000000000000000000000000000000000000000000000000000000000","word":"0x0000000000000000000000000000000000000000000000000000000000000000","variables":[{"name":"owner","type":"address","value":"0x0000000000000000000000000000000000000000"},{"name":"open","type":"bool","value":"false"}]},{"slot":"0x0000000000000000000000000000000000000000000000000000000000000007","word":"0x0000000000000000000000000000000000000000000000000000000000000000","variables":[]}]}
>> {"jsonrpc":"2.0","id":7,"method":"devchain_describeStorage","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":7,"result":[]}
>> {"jsonrpc":"2.0","id":8,"method":"devchain_describeStorage","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3",null,"0x99"]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"header not found: there is no block 153; the newest block is 2"}}
>> {"jsonrpc":"2.0","id":9,"method":"devchain_describeStorage","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","0x0"]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"argument slots: want an array, got text"}}
>> {"jsonrpc":"2.0","id":10,"method":"devchain_describeStorage","params":["0x12"]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":"argument address: want 20 bytes, got 1"}}
