// A sender that cannot pay is an error.
>> {"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":[{"from":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"insufficient funds for transfer: balance 0 wei, cost 1 wei; the sender is 0x0b0d0b0d0b0D0b0d0b0D0b0d0B0d0B0D0b0D0B0d"}}
