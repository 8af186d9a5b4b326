// A transaction's calls are listed; an unknown transaction is null.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x2dc6c0","data":"0x61001280600c6000396000f36000546001018060005560005260206000f3"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7f0c2e62c8851ac3617c3d2761c092ba948e7c0e46201c87fe007ca4daacd62d"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x186a0"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x8a3e9791b835f8c5b81cac77cbb6bda1febd330a1792953c3a5dc55a77281d10"}
>> {"jsonrpc":"2.0","id":3,"method":"trace_transaction","params":["{{1}}"]}
<< {"jsonrpc":"2.0","id":3,"result":[{"action":{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x2dc6c0","value":"0x0","init":"0x61001280600c6000396000f36000546001018060005560005260206000f3"},"blockHash":"0x9de584cef2e3d33d683a9d16d7929c68cbf5f6ce85b3771c461dc57921b390a1","blockNumber":1,"transactionHash":"0x7f0c2e62c8851ac3617c3d2761c092ba948e7c0e46201c87fe007ca4daacd62d","transactionPosition":0,"type":"create","subtraces":0,"traceAddress":[],"result":{"address":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gasUsed":"0xdebe","code":"0x6000546001018060005560005260206000f3"}}]}
>> {"jsonrpc":"2.0","id":4,"method":"trace_transaction","params":["{{2}}"]}
<< {"jsonrpc":"2.0","id":4,"result":[{"action":{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x186a0","value":"0x0","callType":"call","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","input":"0x"},"blockHash":"0x33d0edda9d7498312cc094dad60cf921bbddcdad8b8d0a92e6c564bbab9b7410","blockNumber":2,"transactionHash":"0x8a3e9791b835f8c5b81cac77cbb6bda1febd330a1792953c3a5dc55a77281d10","transactionPosition":0,"type":"call","subtraces":0,"traceAddress":[],"result":{"gasUsed":"0xa10e","output":"0x0000000000000000000000000000000000000000000000000000000000000001"}}]}
>> {"jsonrpc":"2.0","id":5,"method":"trace_transaction","params":["0x0000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":5,"result":null}
