// Any other failure is -32015 with empty data.
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0xffff"},"latest",{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":{"code":"0xfe"}}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32015,"message":"VM Exception while processing transaction: invalid opcode","data":"0x"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0xffff"},"latest",{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":{"code":"0x5b600056"}}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32015,"message":"VM Exception while processing transaction: out of gas","data":"0x"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x1"},"latest"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32015,"message":"VM Exception while processing transaction: intrinsic gas too low: have 1, want 21000","data":"0x"}}
