// A revert is -32015 with its payload as bare hex.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x2dc6c0","data":"0x61000a80600c6000396000f3366000600037366000fd"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x4939d8190bc4ac1c25f93867bdb47dd9895f0e9464570f590672a0d598924cb1"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_call","params":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","data":"0x"},"latest"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32015,"message":"VM Exception while processing transaction: execution reverted","data":"0x"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","data":"0x08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000086e6f206d6f6e6579000000000000000000000000000000000000000000000000"},"latest"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32015,"message":"VM Exception while processing transaction: execution reverted: no money","data":"0x08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000086e6f206d6f6e6579000000000000000000000000000000000000000000000000"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_call","params":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","data":"0x4e487b710000000000000000000000000000000000000000000000000000000000000011"},"latest"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32015,"message":"VM Exception while processing transaction: execution reverted: panic: arithmetic overflow or underflow (0x11)","data":"0x4e487b710000000000000000000000000000000000000000000000000000000000000011"}}
>> {"jsonrpc":"2.0","id":5,"method":"eth_call","params":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","data":"0xdeadbeef"},"latest"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32015,"message":"VM Exception while processing transaction: execution reverted: custom error 0xdeadbeef","data":"0xdeadbeef"}}
