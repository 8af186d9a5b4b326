// Contracts of a Hardhat compilation get their names; an output without contracts is false.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_addCompilationResult","params":["0.8.28",{"sources":{"Car.sol":{"content":"contract Car {}"}}},{"contracts":{"Car.sol":{"Car":{"abi":[{"type":"error","name":"Broke","inputs":[{"name":"amount","type":"uint256"}]},{"type":"function","name":"go","stateMutability":"nonpayable","inputs":[{"name":"speed","type":"uint256"}],"outputs":[]}],"evm":{"bytecode":{"object":"61001580600c6000396000f3639ad27b2660e01b600052600760045260246000fd"},"deployedBytecode":{"object":"639ad27b2660e01b600052600760045260246000fd"}}}}},"sources":{"Car.sol":{"id":0}}}]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x30d40","data":"0x61001580600c6000396000f3639ad27b2660e01b600052600760045260246000fd"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x8722dc65ca3d49d2252c652a51940a494e44241f72a4bde6b93ba3c37c91b5f7"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x186a0","data":"0xb20e73440000000000000000000000000000000000000000000000000000000000000005"}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32015,"message":"VM Exception while processing transaction: execution reverted: custom error Broke(amount=7)","data":"0x9ad27b260000000000000000000000000000000000000000000000000000000000000007"}}
>> {"jsonrpc":"2.0","id":4,"method":"hardhat_addCompilationResult","params":["0.8.28",{},{}]}
<< {"jsonrpc":"2.0","id":4,"result":false}
>> {"jsonrpc":"2.0","id":5,"method":"hardhat_addCompilationResult","params":["0.8.28",[],{}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"argument compiler_input: want an object, got an array"}}
