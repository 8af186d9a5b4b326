// The compilation of a contract, by its address, its code and its init code; null where no artifact is known.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_addArtifacts","params":[{"input":{"language":"Solidity","sources":{"src/Car.sol":{"content":"contract Car {}\n"},"src/Boat.sol":{"content":"contract Boat {}\n"}},"settings":{"optimizer":{"enabled":false}}},"output":{"sources":{"src/Car.sol":{"id":0},"src/Boat.sol":{"id":1}},"contracts":{"src/Car.sol":{"Car":{"abi":[],"storageLayout":{"storage":[],"types":null},"evm":{"bytecode":{"object":"60015ff3","sourceMap":"0:15:0:-;;","linkReferences":{}},"deployedBytecode":{"object":"00","sourceMap":"0:15:0:-","linkReferences":{},"immutableReferences":{}}}}}}}}]}
<< {"jsonrpc":"2.0","id":1,"result":["Car"]}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x30d40","data":"0x60015ff3"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0xe12b4a41ab7188e1a5662d1a4c8f4c7d171ad03b370ee68ea970c11575209fe0"}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_getBuildInfo","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3"]}
<< {"jsonrpc":"2.0","id":3,"result":{"input":{"language":"Solidity","sources":{"src/Car.sol":{"content":"contract Car {}\n"}},"settings":{"optimizer":{"enabled":false},"viaIR":false}},"output":{"sources":{"src/Car.sol":{"id":0}},"contracts":{"src/Car.sol":{"Car":{"abi":[],"evm":{"bytecode":{"object":"60015ff3","linkReferences":{"":{"":[]}},"sourceMap":"0:15:0:-;;"},"deployedBytecode":{"object":"00","linkReferences":{"":{"":[]}},"sourceMap":"0:15:0:-","immutableReferences":{}}},"storageLayout":{"storage":[],"types":null}}}}}}}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_getBuildInfo","params":["0x00"]}
<< {"jsonrpc":"2.0","id":4,"result":{"input":{"language":"Solidity","sources":{"src/Car.sol":{"content":"contract Car {}\n"}},"settings":{"optimizer":{"enabled":false},"viaIR":false}},"output":{"sources":{"src/Car.sol":{"id":0}},"contracts":{"src/Car.sol":{"Car":{"abi":[],"evm":{"bytecode":{"object":"60015ff3","linkReferences":{"":{"":[]}},"sourceMap":"0:15:0:-;;"},"deployedBytecode":{"object":"00","linkReferences":{"":{"":[]}},"sourceMap":"0:15:0:-","immutableReferences":{}}},"storageLayout":{"storage":[],"types":null}}}}}}}
>> {"jsonrpc":"2.0","id":5,"method":"devchain_getBuildInfo","params":["0x60015ff3"]}
<< {"jsonrpc":"2.0","id":5,"result":{"input":{"language":"Solidity","sources":{"src/Car.sol":{"content":"contract Car {}\n"}},"settings":{"optimizer":{"enabled":false},"viaIR":false}},"output":{"sources":{"src/Car.sol":{"id":0}},"contracts":{"src/Car.sol":{"Car":{"abi":[],"evm":{"bytecode":{"object":"60015ff3","linkReferences":{"":{"":[]}},"sourceMap":"0:15:0:-;;"},"deployedBytecode":{"object":"00","linkReferences":{"":{"":[]}},"sourceMap":"0:15:0:-","immutableReferences":{}}},"storageLayout":{"storage":[],"types":null}}}}}}}
>> {"jsonrpc":"2.0","id":6,"method":"devchain_getBuildInfo","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","0x0"]}
<< {"jsonrpc":"2.0","id":6,"result":null}
>> {"jsonrpc":"2.0","id":7,"method":"devchain_getBuildInfo","params":["0x00000000000000000000000000000000000000cb"]}
<< {"jsonrpc":"2.0","id":7,"result":null}
>> {"jsonrpc":"2.0","id":8,"method":"devchain_getBuildInfo","params":["Car"]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"argument contract: want DATA: 0x and hex digits, got 'Car'"}}
>> {"jsonrpc":"2.0","id":9,"method":"devchain_getBuildInfo","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","0x63"]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32000,"message":"header not found: there is no block 99; the newest block is 1"}}
