// A slot without leading zeros; `0x0` if it is empty, an error for an unknown block.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","data":"0x61123460005500","gas":"0x186a0"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x29a95ce44e8afed546392dc00d143147d46ef722e8c86c3fda8100ebb291af80"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionReceipt","params":["{{1}}"]}
<< {"jsonrpc":"2.0","id":2,"result":{"transactionHash":"0x29a95ce44e8afed546392dc00d143147d46ef722e8c86c3fda8100ebb291af80","transactionIndex":"0x0","blockHash":"0x1a1fc68ea8fa24b52ecd20b43ddb7c23319a6d9345f60aeab93e971228da252a","blockNumber":"0x1","cumulativeGasUsed":"0x11d88","gasUsed":"0x11d88","contractAddress":"0x5fbdb2315678afecb367f032d93f642f64180aa3","logs":[],"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":null,"status":"0x1","logsBloom":"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000","type":"0x0","effectiveGasPrice":"0x0"}}
>> {"jsonrpc":"2.0","id":3,"method":"rsk_getStorageBytesAt","params":["{{2.contractAddress}}","0x0"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x1234"}
>> {"jsonrpc":"2.0","id":4,"method":"rsk_getStorageBytesAt","params":["{{2.contractAddress}}","0x1","latest"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x0"}
>> {"jsonrpc":"2.0","id":5,"method":"rsk_getStorageBytesAt","params":["{{2.contractAddress}}","0x0","0x9"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32000,"message":"header not found: there is no block 9; the newest block is 1"}}
