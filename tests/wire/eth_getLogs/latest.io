// Without a range the latest block is searched; logs always have `removed`.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x2dc6c0","data":"0x61001780600c6000396000f3604036036040600037602035600035604036036000a200"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7d6f668144f68057b86bc0744f10260aa45d45a5b21be74da5ab50503335a7c5"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x30d40","data":"0x000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000003"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x539a71e7623e2e28b887753c2ef9a29b6e44a5c180fcad96b7bdf214632686cf"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getLogs","params":[{}]}
<< {"jsonrpc":"2.0","id":3,"result":[{"removed":false,"logIndex":"0x0","transactionIndex":"0x0","transactionHash":"0x539a71e7623e2e28b887753c2ef9a29b6e44a5c180fcad96b7bdf214632686cf","blockHash":"0x943b2754ee633b81cf6fde129db9e06f08738a90414a9d416a78a5d0eec74501","blockNumber":"0x2","address":"0x5fbdb2315678afecb367f032d93f642f64180aa3","data":"0x0000000000000000000000000000000000000000000000000000000000000003","topics":["0x0000000000000000000000000000000000000000000000000000000000000001","0x0000000000000000000000000000000000000000000000000000000000000002"]}]}
>> {"jsonrpc":"2.0","id":4,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x0"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getLogs","params":[{}]}
<< {"jsonrpc":"2.0","id":5,"result":[]}
