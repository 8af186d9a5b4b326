// Expectations that are not met are listed with what was found; a check ends all, a revert those made since.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_checkExpectedCalls","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":[]}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_expectCall","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x01020304"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x1"}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_expectCall","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x","0x5","0x2"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x2"}
>> {"jsonrpc":"2.0","id":4,"method":"evm_snapshot","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x1"}
>> {"jsonrpc":"2.0","id":5,"method":"devchain_expectCall","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x99"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x3"}
>> {"jsonrpc":"2.0","id":6,"method":"evm_revert","params":["0x1"]}
<< {"jsonrpc":"2.0","id":6,"result":true}
>> {"jsonrpc":"2.0","id":7,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","data":"0x0102030405","value":"0x0","gas":"0x186a0"}]}
<< {"jsonrpc":"2.0","id":7,"result":"0xb089f695bc104d8fa95f53b7f5a41d32c5eb047e58b91b80e6c1a49237ba866f"}
>> {"jsonrpc":"2.0","id":8,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","data":"0x","value":"0x5","gas":"0x186a0"}]}
<< {"jsonrpc":"2.0","id":8,"result":"0xbc6b2c8e8cf36dc63146e10138dfb23c6a77cd6e430188577fb743a160d0709c"}
>> {"jsonrpc":"2.0","id":9,"method":"devchain_checkExpectedCalls","params":[]}
<< {"jsonrpc":"2.0","id":9,"result":[{"id":"0x2","address":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","data":"0x","value":"0x5","count":"0x2","found":"0x1"}]}
>> {"jsonrpc":"2.0","id":10,"method":"devchain_checkExpectedCalls","params":[]}
<< {"jsonrpc":"2.0","id":10,"result":[]}
>> {"jsonrpc":"2.0","id":11,"method":"devchain_checkExpectedCalls","params":[1]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32602,"message":"devchain_checkExpectedCalls takes no arguments: got 1 argument"}}
