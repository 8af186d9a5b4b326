// A wide block range is limited in its number of logs.
// with {"max_logs": 2, "max_log_blocks": 2}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x2dc6c0","data":"0x61001a80600c6000396000f36000355b8015610018578060006000a160019003610003565b00"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0xfaf339e039fd8f332337ef003b78c68f1ae321c37e2d0517b951feaebf5c88f6"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x30d40","data":"0x0000000000000000000000000000000000000000000000000000000000000003"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x848a37170215be94048a2faa64d6c36adbf8f79622dddfb855a31890303a6cc6"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getLogs","params":[{"fromBlock":"0x0"}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32012,"message":"query returned more than 2 logs over a range of more than 2 blocks: ask for fewer blocks or narrow the filter"}}
