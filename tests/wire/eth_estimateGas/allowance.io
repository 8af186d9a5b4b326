// If no allowed gas limit is high enough it is an error.
>> {"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0xc350"},"latest",{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":{"code":"0x5b600056"}}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"gas required exceeds allowance (50000)"}}
