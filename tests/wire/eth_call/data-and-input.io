// `data` and `input` may both be given when equal.
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","data":"0x12","input":"0x12"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","data":"0x12","input":"0x13"}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument request: data and input differ: give one of them"}}
