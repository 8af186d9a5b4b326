// With a gas price the sender must be able to pay.
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"from":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_call","params":[{"from":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gasPrice":"0x1"}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"insufficient funds for gas * price + value: have 0, want 6800000; the sender is 0x0b0d0b0d0b0D0b0d0b0D0b0d0B0d0B0D0b0D0B0d"}}
