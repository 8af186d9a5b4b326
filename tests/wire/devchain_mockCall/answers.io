// Calls that start with the data return the answer; longer data comes first; a revert of the chain ends it.
>> {"jsonrpc":"2.0","id":1,"method":"evm_snapshot","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_mockCall","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x01","0x2a"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_mockCall","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x0102","0x2b","0x0"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_call","params":[{"to":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","data":"0x01"},"latest"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x2a"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_call","params":[{"to":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","data":"0x0102"},"latest"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x2b"}
>> {"jsonrpc":"2.0","id":6,"method":"eth_call","params":[{"to":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","data":"0x02"},"latest"]}
<< {"jsonrpc":"2.0","id":6,"result":"0x"}
>> {"jsonrpc":"2.0","id":7,"method":"evm_revert","params":["0x1"]}
<< {"jsonrpc":"2.0","id":7,"result":true}
>> {"jsonrpc":"2.0","id":8,"method":"eth_call","params":[{"to":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","data":"0x01"},"latest"]}
<< {"jsonrpc":"2.0","id":8,"result":"0x"}
>> {"jsonrpc":"2.0","id":9,"method":"devchain_mockCall","params":["0x01","0x","0x"]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"argument address: want 20 bytes, got 1"}}
