// By function, the transactions of a contract whose status, result or gas another hardfork changes.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_addArtifacts","params":[{"contractName":"Copier","abi":[{"type":"function","name":"copy","stateMutability":"nonpayable","inputs":[],"outputs":[]}],"bytecode":"0x61000580600c6000396000f35f5f5f5e00","deployedBytecode":"0x5f5f5f5e00"}]}
<< {"jsonrpc":"2.0","id":1,"result":["Copier"]}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x30d40","data":"0x61000580600c6000396000f35f5f5f5e00"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x6822ac9083e81f6eaabb8f5cf15e9c4ea4d7661f92d0fe7b7640651658652946"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x30d40","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","data":"0x60726abb"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0xd15af6bc7983a715bd298730ae3e16466db916c24062e67320da7cb3425be9ba"}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_compareHardforks","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","arrowhead"]}
<< {"jsonrpc":"2.0","id":4,"result":{"Copier.copy()":{"calls":1,"changed":1,"gas":0,"newGas":0,"otherStatus":1,"otherResult":0,"reason":"invalid opcode: MCOPY is not available before lovell; compile with evmVersion shanghai","place":"","transaction":"0xd15af6bc7983a715bd298730ae3e16466db916c24062e67320da7cb3425be9ba"},"Copier.constructor":{"calls":1,"changed":1,"gas":54250,"newGas":54248,"otherStatus":0,"otherResult":0,"reason":"","place":"","transaction":"0x6822ac9083e81f6eaabb8f5cf15e9c4ea4d7661f92d0fe7b7640651658652946"}}}
>> {"jsonrpc":"2.0","id":5,"method":"devchain_compareHardforks","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","reed","0x1"]}
<< {"jsonrpc":"2.0","id":5,"result":{"Copier.copy()":{"calls":1,"changed":0,"gas":21073,"newGas":21073,"otherStatus":0,"otherResult":0,"reason":"","place":"","transaction":""}}}
>> {"jsonrpc":"2.0","id":8,"method":"devchain_compareHardforks","params":["0xd15af6bc7983a715bd298730ae3e16466db916c24062e67320da7cb3425be9ba","vetiver"]}
<< {"jsonrpc":"2.0","id":8,"result":{"Copier.copy()":{"calls":1,"changed":0,"gas":21073,"newGas":21073,"otherStatus":0,"otherResult":0,"reason":"","place":"","transaction":""}}}
>> {"jsonrpc":"2.0","id":6,"method":"devchain_compareHardforks","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","arrowhead","0x3e9"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"argument count: want at most 1,000, got 1,001"}}
>> {"jsonrpc":"2.0","id":7,"method":"devchain_compareHardforks","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","prague"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"prague is of another chain than vetiver"}}
