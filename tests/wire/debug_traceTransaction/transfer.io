// A transaction that executes no code has no steps.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208","value":"0x3"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x3ad66344902d72c1252c2a9c0a3c5268942dfeade5e094982febde8031924992"}
>> {"jsonrpc":"2.0","id":2,"method":"debug_traceTransaction","params":["{{1}}"]}
<< {"jsonrpc":"2.0","id":2,"result":{"gas":21000,"failed":false,"returnValue":"0x","structLogs":[]}}
>> {"jsonrpc":"2.0","id":3,"method":"debug_traceTransaction","params":["{{1}}",{"tracer":"rskTracer"}]}
<< {"jsonrpc":"2.0","id":3,"result":{"programInvoke":null,"transferInvoke":{"ownerAddress":"00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c8","callerAddress":"000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":0,"callValue":"0000000000000000000000000000000000000000000000000000000000000003","msgData":null},"subtraces":[],"result":null,"error":null,"reverted":false}}
