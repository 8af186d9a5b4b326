// The traces of a block's transactions, each with its hash; an unknown block is null.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x2dc6c0","data":"0x61001280600c6000396000f36000546001018060005560005260206000f3"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7f0c2e62c8851ac3617c3d2761c092ba948e7c0e46201c87fe007ca4daacd62d"}
>> {"jsonrpc":"2.0","id":2,"method":"trace_replayBlockTransactions","params":["0x1",["trace","stateDiff"]]}
<< {"jsonrpc":"2.0","id":2,"result":[{"output":"0x6000546001018060005560005260206000f3","stateDiff":{"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266":{"balance":"=","code":"=","nonce":{"*":{"from":"0x0","to":"0x1"}},"storage":{}},"0x5fbdb2315678afecb367f032d93f642f64180aa3":{"balance":{"+":"0x0"},"code":{"+":"0x6000546001018060005560005260206000f3"},"nonce":{"+":"0x0"},"storage":{}}},"trace":[{"action":{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x2dc6c0","value":"0x0","init":"0x61001280600c6000396000f36000546001018060005560005260206000f3"},"type":"create","subtraces":0,"traceAddress":[],"result":{"address":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gasUsed":"0xdebe","code":"0x6000546001018060005560005260206000f3"}}],"vmTrace":null,"transactionHash":"0x7f0c2e62c8851ac3617c3d2761c092ba948e7c0e46201c87fe007ca4daacd62d"}]}
>> {"jsonrpc":"2.0","id":3,"method":"trace_replayBlockTransactions","params":["0x0",["trace"]]}
<< {"jsonrpc":"2.0","id":3,"result":[]}
>> {"jsonrpc":"2.0","id":4,"method":"trace_replayBlockTransactions","params":["0x63",["trace"]]}
<< {"jsonrpc":"2.0","id":4,"result":null}
>> {"jsonrpc":"2.0","id":5,"method":"trace_replayBlockTransactions","params":["0x1",["vmTrace"]]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"vmTrace is not supported: debug_traceTransaction has every opcode"}}
