// One trace by its position; null if it does not exist.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208","value":"0x3"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x3ad66344902d72c1252c2a9c0a3c5268942dfeade5e094982febde8031924992"}
>> {"jsonrpc":"2.0","id":2,"method":"trace_get","params":["{{1}}",["0x0"]]}
<< {"jsonrpc":"2.0","id":2,"result":{"action":{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x5208","value":"0x3","callType":"call","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","input":"0x"},"blockHash":"0xa96da4938d104efccbadc91ef5068879c6289e600129f5d05a4e44536d6126d0","blockNumber":1,"transactionHash":"0x3ad66344902d72c1252c2a9c0a3c5268942dfeade5e094982febde8031924992","transactionPosition":0,"type":"call","subtraces":0,"traceAddress":[],"result":{"gasUsed":"0x5208","output":"0x"}}}
>> {"jsonrpc":"2.0","id":3,"method":"trace_get","params":["{{1}}",["0x1"]]}
<< {"jsonrpc":"2.0","id":3,"result":null}
>> {"jsonrpc":"2.0","id":4,"method":"trace_get","params":["0x0000000000000000000000000000000000000000000000000000000000000000",["0x0"]]}
<< {"jsonrpc":"2.0","id":4,"result":null}
