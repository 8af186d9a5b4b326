// Each error has its own code, as in geth, and fails the whole request.
>> {"jsonrpc":"2.0","id":1,"method":"eth_simulateV1","params":[{"blockStateCalls":[]}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"blockStateCalls is empty: give at least one block"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"calls":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","nonce":"0x5"}]}],"validation":true}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-38011,"message":"nonce too high: the next one is 0, got 5"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"stateOverrides":{"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266":{"nonce":"0x6"}},"calls":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","nonce":"0x5"}]}],"validation":true}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-38010,"message":"nonce too low: the next one is 6, got 5"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"blockOverrides":{"baseFeePerGas":"0x5"},"calls":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gasPrice":"0x4"}]}]}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-38012,"message":"max fee per gas less than block base fee: 4 < 5 wei"}}
>> {"jsonrpc":"2.0","id":5,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"calls":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5"}]}]}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-38013,"message":"intrinsic gas too low: have 5, want 21000"}}
>> {"jsonrpc":"2.0","id":6,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"calls":[{"from":"0xc1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x5"}]}]}]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-38014,"message":"insufficient funds for gas * price + value: have 0, want 5"}}
>> {"jsonrpc":"2.0","id":7,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"calls":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0xffffffffff"}]}]}]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-38015,"message":"block gas limit reached: 1099511627775 > 6800000 left"}}
>> {"jsonrpc":"2.0","id":8,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"blockOverrides":{"number":"0x0"}}]}]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-38020,"message":"block numbers must be in order: 0 <= 0"}}
>> {"jsonrpc":"2.0","id":9,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"blockOverrides":{"time":"0x1"}}]}]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-38021,"message":"block timestamps must be in order: 1 <= 1700000000"}}
>> {"jsonrpc":"2.0","id":10,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"stateOverrides":{"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266":{"code":"0x00"}},"calls":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}],"validation":true}]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-38024,"message":"sender is not an EOA: 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266 has code"}}
>> {"jsonrpc":"2.0","id":11,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"blockOverrides":{"number":"0x101"}}]}]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-38026,"message":"too many blocks: give at most 256, those in gaps included"}}
>> {"jsonrpc":"2.0","id":12,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"blockOverrides":{"blockHash":{"0x0":"0x1111111111111111111111111111111111111111111111111111111111111111"}}}]}]}
<< {"jsonrpc":"2.0","id":12,"error":{"code":-32602,"message":"argument request: blockStateCalls: blockOverrides: blockHash is not supported here: simulated blocks have their own"}}
