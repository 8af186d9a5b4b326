// Blocks, accounts and a window select traces.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208","value":"0x3"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x3ad66344902d72c1252c2a9c0a3c5268942dfeade5e094982febde8031924992"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208","value":"0x3"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x5989e4924dc1303ba470ae53f8f991ef1a25badb173070384d5a224eff44d494"}
>> {"jsonrpc":"2.0","id":3,"method":"trace_filter","params":[{"toAddress":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"],"after":1}]}
<< {"jsonrpc":"2.0","id":3,"result":[{"action":{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x5208","value":"0x3","callType":"call","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","input":"0x"},"blockHash":"0x9be06aafbc03ba161c8ee59eef335468d6c20c6a1b406c21a71dbb5a5758711c","blockNumber":2,"transactionHash":"0x5989e4924dc1303ba470ae53f8f991ef1a25badb173070384d5a224eff44d494","transactionPosition":0,"type":"call","subtraces":0,"traceAddress":[],"result":{"gasUsed":"0x5208","output":"0x"}}]}
>> {"jsonrpc":"2.0","id":4,"method":"trace_filter","params":[{"fromAddress":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":4,"result":[]}
