// A trace larger than --max-trace-size is an error; `limit` makes it smaller.
// with {"max_trace_size": 40}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x2dc6c0","data":"0x61001780600c6000396000f3604036036040600037602035600035604036036000a200"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7d6f668144f68057b86bc0744f10260aa45d45a5b21be74da5ab50503335a7c5"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x30d40","data":"0x000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000003"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x539a71e7623e2e28b887753c2ef9a29b6e44a5c180fcad96b7bdf214632686cf"}
>> {"jsonrpc":"2.0","id":3,"method":"debug_traceTransaction","params":["{{2}}"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32012,"message":"the trace grows larger than 40 words (--max-trace-size or Config.max_trace_size): give a limit, leave out stack, memory and storage, or ask for fewer transactions"}}
>> {"jsonrpc":"2.0","id":4,"method":"debug_traceTransaction","params":["{{2}}",{"limit":1,"disableStack":true}]}
<< {"jsonrpc":"2.0","id":4,"result":{"gas":22847,"failed":false,"returnValue":"0x","structLogs":[{"pc":0,"op":"PUSH1","gas":178580,"gasCost":3,"depth":1}]}}
