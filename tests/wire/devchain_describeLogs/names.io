// Logs have event and arguments, addresses their contract; what no artifact has is null.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_addArtifacts","params":[{"contractName":"Car","abi":[{"type":"function","name":"go","stateMutability":"nonpayable","inputs":[{"name":"speed","type":"uint256"}],"outputs":[]},{"type":"event","name":"Gone","inputs":[{"name":"to","type":"address","indexed":true},{"name":"speed","type":"uint256"}]}],"bytecode":"0x61001580600c6000396000f3639ad27b2660e01b600052600760045260246000fd","deployedBytecode":"0x639ad27b2660e01b600052600760045260246000fd"}]}
<< {"jsonrpc":"2.0","id":1,"result":["Car"]}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x30d40","data":"0x61001580600c6000396000f3639ad27b2660e01b600052600760045260246000fd"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x8722dc65ca3d49d2252c652a51940a494e44241f72a4bde6b93ba3c37c91b5f7"}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_describeLogs","params":[[{"address":"0x5fbdb2315678afecb367f032d93f642f64180aa3","topics":["0xa3f02a12812da4a8cbea292b081b1b5f198a4e588aa3dae14870ff3cd861b530","0x0000000000000000000000005fbdb2315678afecb367f032d93f642f64180aa3"],"data":"0x0000000000000000000000000000000000000000000000000000000000000005","logIndex":"0x0"},{"address":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","topics":["0xa3f02a12812da4a8cbea292b081b1b5f198a4e588aa3dae14870ff3cd861b530","0x0000000000000000000000005fbdb2315678afecb367f032d93f642f64180aa3"],"data":"0x0000000000000000000000000000000000000000000000000000000000000005"}]]}
<< {"jsonrpc":"2.0","id":3,"result":["Gone(to=0x5FbDB2315678afecb367f032d93F642f64180aa3 (Car), speed=5)","Gone(to=0x5FbDB2315678afecb367f032d93F642f64180aa3 (Car), speed=5)"]}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_describeLogs","params":[[{"address":"0x5fbdb2315678afecb367f032d93f642f64180aa3","topics":["0xa3f02a12812da4a8cbea292b081b1b5f198a4e588aa3dae14870ff3cd861b530"],"data":"0x"},{"address":"0x5fbdb2315678afecb367f032d93f642f64180aa3"}]]}
<< {"jsonrpc":"2.0","id":4,"result":[null,null]}
>> {"jsonrpc":"2.0","id":5,"method":"devchain_describeLogs","params":[[{"topics":[]}]]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"argument logs: want a log with the address that emitted it"}}
>> {"jsonrpc":"2.0","id":6,"method":"devchain_describeLogs","params":[[{"address":"0x5fbdb2315678afecb367f032d93f642f64180aa3","topics":["0x12"]}]]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"argument logs: topics: want 32 bytes, got 1"}}
