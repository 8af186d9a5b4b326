// The result has head, rules and fees.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_nodeInfo","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"currentBlockNumber":"0x0","currentBlockTimestamp":1700000000,"currentBlockHash":"0x8e0f7858676ae429b05243c1fa2e0638b87fca176c4e80b9ee88db6cd87777ed","hardFork":"vetiver","transactionOrder":"fees","environment":{"baseFee":"0x0","chainId":31,"gasLimit":"0x67c280","gasPrice":"0x0"},"forkConfig":{"forkUrl":null,"forkBlockNumber":null,"forkRetryBackoff":null}}}
