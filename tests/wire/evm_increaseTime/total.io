// The result is the total offset.
>> {"jsonrpc":"2.0","id":1,"method":"evm_increaseTime","params":[60]}
<< {"jsonrpc":"2.0","id":1,"result":"0x3c"}
>> {"jsonrpc":"2.0","id":2,"method":"evm_increaseTime","params":["0x3c"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x78"}
>> {"jsonrpc":"2.0","id":3,"method":"evm_increaseTime","params":["60"]}
<< {"jsonrpc":"2.0","id":3,"result":"0xb4"}
>> {"jsonrpc":"2.0","id":4,"method":"evm_increaseTime","params":[-1]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument seconds: -1 is negative"}}
