// `erc7562Tracer` has the opcodes and slots that each call used.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","data":"0x61001280600c6000396000f36000546001018060005560005260206000f3","gas":"0x2dc6c0"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7f0c2e62c8851ac3617c3d2761c092ba948e7c0e46201c87fe007ca4daacd62d"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x186a0"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x8a3e9791b835f8c5b81cac77cbb6bda1febd330a1792953c3a5dc55a77281d10"}
>> {"jsonrpc":"2.0","id":3,"method":"debug_traceTransaction","params":["{{2}}",{"tracer":"erc7562Tracer"}]}
<< {"jsonrpc":"2.0","id":3,"result":{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x186a0","gasUsed":"0xa10e","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","input":"0x","output":"0x0000000000000000000000000000000000000000000000000000000000000001","value":"0x0","type":"CALL","accessedSlots":{"reads":{"0x0000000000000000000000000000000000000000000000000000000000000000":["0x0000000000000000000000000000000000000000000000000000000000000000"]},"writes":{"0x0000000000000000000000000000000000000000000000000000000000000000":1},"transientReads":{},"transientWrites":{}},"extCodeAccessInfo":[],"usedOpcodes":{"0x54":1,"0x55":1,"0x52":1,"0xf3":1},"contractSize":{},"outOfGas":false}}
>> {"jsonrpc":"2.0","id":4,"method":"debug_traceTransaction","params":["{{2}}",{"tracer":"erc7562Tracer","tracerConfig":{"ignoredOpcodes":["ADD"]}}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument options: ignoredOpcodes: want a QUANTITY such as 0x1f, got 'ADD'"}}
