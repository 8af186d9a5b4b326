// With `txIndex` the call runs on the state before that transaction of the block.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","data":"0x61001280600c6000396000f36000546001018060005560005260206000f3","gas":"0x2dc6c0"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7f0c2e62c8851ac3617c3d2761c092ba948e7c0e46201c87fe007ca4daacd62d"}
>> {"jsonrpc":"2.0","id":2,"method":"evm_setAutomine","params":[false]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x186a0","nonce":"0x1"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x8a3e9791b835f8c5b81cac77cbb6bda1febd330a1792953c3a5dc55a77281d10"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x186a0","nonce":"0x2"}]}
<< {"jsonrpc":"2.0","id":4,"result":"0x98c8f03ca6dba8eb1d25667ad5729cc664625280a7a1c7609022a169ff5d125d"}
>> {"jsonrpc":"2.0","id":5,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":"0x0"}
>> {"jsonrpc":"2.0","id":6,"method":"debug_traceCall","params":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x186a0"},"0x2",{"tracer":"callTracer","txIndex":"0x0"}]}
<< {"jsonrpc":"2.0","id":6,"result":{"from":"0x0000000000000000000000000000000000000000","gas":"0x186a0","gasUsed":"0xa10e","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","input":"0x","output":"0x0000000000000000000000000000000000000000000000000000000000000001","value":"0x0","type":"CALL"}}
>> {"jsonrpc":"2.0","id":7,"method":"debug_traceCall","params":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x186a0"},"0x2",{"tracer":"callTracer","txIndex":1}]}
<< {"jsonrpc":"2.0","id":7,"result":{"from":"0x0000000000000000000000000000000000000000","gas":"0x186a0","gasUsed":"0x6676","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","input":"0x","output":"0x0000000000000000000000000000000000000000000000000000000000000002","value":"0x0","type":"CALL"}}
>> {"jsonrpc":"2.0","id":8,"method":"debug_traceCall","params":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x186a0"},"0x2",{"tracer":"callTracer","txIndex":"0x2"}]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"block 2 has 2 transactions, none at index 2"}}
>> {"jsonrpc":"2.0","id":9,"method":"debug_traceCall","params":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x186a0"},"0x2",{"tracer":"callTracer","txIndex":"first"}]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"argument options: txIndex: want a QUANTITY such as 0x1f, got 'first'"}}
