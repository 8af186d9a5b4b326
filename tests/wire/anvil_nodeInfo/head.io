// The head, the rules and the fees.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_nodeInfo","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"currentBlockNumber":"0x0","currentBlockTimestamp":1700000000,"currentBlockHash":"0xeaa3b8e761564d9b4280d2fb1e2cfa3b1ae186a2d124749b35952e81f990af02","hardFork":"vetiver","transactionOrder":"fees","environment":{"baseFee":"0x0","chainId":31,"gasLimit":"0x67c280","gasPrice":"0x0"},"forkConfig":{"forkUrl":null,"forkBlockNumber":null,"forkRetryBackoff":null}}}
