// State overrides change accounts for one call.
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","data":"0x0000000000000000000000000000000000000000000000000000000000000001"},"latest",{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":{"code":"0x6000355460005260206000f3","stateDiff":{"0x1":"0x7"}}}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x0000000000000000000000000000000000000000000000000000000000000007"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest",{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":{"movePrecompileToAddress":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"}}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument overrides: 0x70997970c51812dc3a010c7d01b50e0d17dc79c8: movePrecompileToAddress is not supported: leave it out"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest",{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":{"state":{},"stateDiff":{}}}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"argument overrides: 0x70997970c51812dc3a010c7d01b50e0d17dc79c8: state and stateDiff exclude each other: give one of them"}}
