// A failed transaction with the names of its contract; null for one that is not mined.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_addArtifacts","params":[{"contractName":"Car","abi":[{"type":"error","name":"Broke","inputs":[{"name":"amount","type":"uint256"}]},{"type":"function","name":"go","stateMutability":"nonpayable","inputs":[{"name":"speed","type":"uint256"}],"outputs":[]}],"bytecode":"0x61001580600c6000396000f3639ad27b2660e01b600052600760045260246000fd","deployedBytecode":"0x639ad27b2660e01b600052600760045260246000fd"}]}
<< {"jsonrpc":"2.0","id":1,"result":["Car"]}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x30d40","data":"0x61001580600c6000396000f3639ad27b2660e01b600052600760045260246000fd"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x8722dc65ca3d49d2252c652a51940a494e44241f72a4bde6b93ba3c37c91b5f7"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x186a0","data":"0xb20e73440000000000000000000000000000000000000000000000000000000000000005"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x31abbaa36ab0001af07638dbc20a5045acd516ada95bbf0378681eb6d05d61a2"}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_explainTransaction","params":["0x31abbaa36ab0001af07638dbc20a5045acd516ada95bbf0378681eb6d05d61a2"]}
<< {"jsonrpc":"2.0","id":4,"result":{"called":"Car.go(speed=5)","events":[],"failure":"execution reverted: custom error Broke(amount=7)","callTree":["✗ Car.go(speed=5) [21,240 gas]","└─ ✗ reverted: Broke(amount=7)"],"console":[],"consolePlaces":[],"sourceTrace":{"reason":"execution reverted: custom error Broke(amount=7)","hint":null,"frames":[{"contract":"Car","function":"go","kind":null,"arguments":"speed=5","path":null,"line":null,"column":null,"endLine":null,"endColumn":null,"confidence":"unknown","note":null,"values":[]}],"text":["execution reverted: custom error Broke(amount=7)","  at Car.go(speed=5)"]}}}
>> {"jsonrpc":"2.0","id":5,"method":"devchain_explainTransaction","params":["0x0000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":5,"result":null}
>> {"jsonrpc":"2.0","id":6,"method":"devchain_explainTransaction","params":["0x12"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"argument transaction_hash: want 32 bytes, got 1"}}
