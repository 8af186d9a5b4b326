// Calls have contract, function and arguments; what no artifact has is null.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_addArtifacts","params":[{"contractName":"Car","abi":[{"type":"function","name":"go","stateMutability":"nonpayable","inputs":[{"name":"speed","type":"uint256"}],"outputs":[]},{"type":"event","name":"Gone","inputs":[{"name":"to","type":"address","indexed":true},{"name":"speed","type":"uint256"}]}],"bytecode":"0x61001580600c6000396000f3639ad27b2660e01b600052600760045260246000fd","deployedBytecode":"0x639ad27b2660e01b600052600760045260246000fd"}]}
<< {"jsonrpc":"2.0","id":1,"result":["Car"]}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x30d40","data":"0x61001580600c6000396000f3639ad27b2660e01b600052600760045260246000fd"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x8722dc65ca3d49d2252c652a51940a494e44241f72a4bde6b93ba3c37c91b5f7"}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_describeCalls","params":[[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","data":"0xb20e73440000000000000000000000000000000000000000000000000000000000000005"},{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","input":"0x123456780000000000000000000000000000000000000000000000000000000000000001"},{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3"},{"data":"0x61001580600c6000396000f3639ad27b2660e01b600052600760045260246000fd"}]]}
<< {"jsonrpc":"2.0","id":3,"result":["Car.go(speed=5)","Car.0x12345678(0x0000000000000000000000000000000000000000000000000000000000000001)",null,"new Car()"]}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_describeCalls","params":[[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","data":"0xb20e73440000000000000000000000000000000000000000000000000000000000000005"},{"data":"0x00"}]]}
<< {"jsonrpc":"2.0","id":4,"result":[null,"go(speed=5), but no contract has this address",null]}
>> {"jsonrpc":"2.0","id":5,"method":"devchain_describeCalls","params":[[{"to":"0x12"}]]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"argument calls: to: want 20 bytes, got 1"}}
