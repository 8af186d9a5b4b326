// The contract at an address is found by it; at another there is none.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_addArtifacts","params":[{"contractName":"Car","abi":[]},"0x00000000000000000000000000000000000000Ca"]}
<< {"jsonrpc":"2.0","id":1,"result":["Car"]}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_findArtifacts","params":["0x00000000000000000000000000000000000000cA"]}
<< {"jsonrpc":"2.0","id":2,"result":[{"contractName":"Car","sourceName":"","abi":[],"bytecode":"0x","deployedBytecode":"0x","linkReferences":{},"deployedLinkReferences":{},"isLinked":true}]}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_findArtifacts","params":["0x00000000000000000000000000000000000000cb"]}
<< {"jsonrpc":"2.0","id":3,"result":[]}
