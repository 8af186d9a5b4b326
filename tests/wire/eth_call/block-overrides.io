// Block overrides are the fourth parameter, in geth's shape.
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest",{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":{"code":"0x43600052426020524160405245606052446080524860a05260c06000f3"}},{"number":"0x4d","time":"0x5","gasLimit":"0x63","feeRecipient":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","difficulty":"0xb","baseFeePerGas":"0xd"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x000000000000000000000000000000000000000000000000000000000000004d000000000000000000000000000000000000000000000000000000000000000500000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c80000000000000000000000000000000000000000000000000000000000000063000000000000000000000000000000000000000000000000000000000000000b000000000000000000000000000000000000000000000000000000000000000d"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest",{},{"prevRandao":"0x0000000000000000000000000000000000000000000000000000000000000001"}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"prevRandao: Rootstock's blocks have none; give a difficulty"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest",{},{"blobBaseFee":"0x1"}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"blobBaseFee: calls have that of the block; leave it out"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest",null,{"number":"0x10000000000000000"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument block_overrides: number: '0x10000000000000000' is larger than 64 bits hold"}}
