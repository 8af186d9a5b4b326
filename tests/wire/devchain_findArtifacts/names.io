// Contracts are found by name and by full name; without one the list is empty.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_addArtifacts","params":[{"contractName":"Car","sourceName":"src/Car.sol","abi":[],"bytecode":"0x5f5ff3","deployedBytecode":"0x00"}]}
<< {"jsonrpc":"2.0","id":1,"result":["Car"]}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_findArtifacts","params":["Car"]}
<< {"jsonrpc":"2.0","id":2,"result":[{"contractName":"Car","sourceName":"src/Car.sol","abi":[],"bytecode":"0x5f5ff3","deployedBytecode":"0x00","linkReferences":{},"deployedLinkReferences":{},"isLinked":true}]}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_findArtifacts","params":["Car.sol:Car"]}
<< {"jsonrpc":"2.0","id":3,"result":[{"contractName":"Car","sourceName":"src/Car.sol","abi":[],"bytecode":"0x5f5ff3","deployedBytecode":"0x00","linkReferences":{},"deployedLinkReferences":{},"isLinked":true}]}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_findArtifacts","params":["Boat"]}
<< {"jsonrpc":"2.0","id":4,"result":[]}
>> {"jsonrpc":"2.0","id":5,"method":"devchain_findArtifacts","params":[7]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"argument name: want a string, got a number"}}
