// Contracts are named by their code; accounts and unknown contracts are null.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_addArtifacts","params":[{"contractName":"Car","abi":[{"type":"function","name":"go","stateMutability":"nonpayable","inputs":[{"name":"speed","type":"uint256"}],"outputs":[]},{"type":"event","name":"Gone","inputs":[{"name":"to","type":"address","indexed":true},{"name":"speed","type":"uint256"}]}],"bytecode":"0x61001580600c6000396000f3639ad27b2660e01b600052600760045260246000fd","deployedBytecode":"0x639ad27b2660e01b600052600760045260246000fd"}]}
<< {"jsonrpc":"2.0","id":1,"result":["Car"]}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x30d40","data":"0x61001580600c6000396000f3639ad27b2660e01b600052600760045260246000fd"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x8722dc65ca3d49d2252c652a51940a494e44241f72a4bde6b93ba3c37c91b5f7"}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_nameContracts","params":[["0x5fbdb2315678afecb367f032d93f642f64180aa3","0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]]}
<< {"jsonrpc":"2.0","id":3,"result":["Car",null]}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_nameContracts","params":[[]]}
<< {"jsonrpc":"2.0","id":4,"result":[]}
>> {"jsonrpc":"2.0","id":5,"method":"devchain_nameContracts","params":[["0x12"]]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"argument addresses: want 20 bytes, got 1"}}
>> {"jsonrpc":"2.0","id":6,"method":"devchain_nameContracts","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"argument addresses: want an array, got text"}}
