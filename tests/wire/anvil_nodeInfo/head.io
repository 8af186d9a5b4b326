// The result has head, rules and fees.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_nodeInfo","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"currentBlockNumber":"0x0","currentBlockTimestamp":1700000000,"currentBlockHash":"0x438ba82a17adfa4d47d84aa8e24c175f996ad48d96b899763346961b7afa6be2","hardFork":"vetiver","transactionOrder":"fees","environment":{"baseFee":"0x0","chainId":31,"gasLimit":"0x67c280","gasPrice":"0x0"},"forkConfig":{"forkUrl":null,"forkBlockNumber":null,"forkRetryBackoff":null}}}
