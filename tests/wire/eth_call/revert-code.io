// `--revert-code` changes the code.
// with {"revert_code": 3}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x2dc6c0","data":"0x61000a80600c6000396000f3366000600037366000fd"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x4939d8190bc4ac1c25f93867bdb47dd9895f0e9464570f590672a0d598924cb1"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_call","params":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3"},"latest"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":3,"message":"VM Exception while processing transaction: execution reverted","data":"0x"}}
