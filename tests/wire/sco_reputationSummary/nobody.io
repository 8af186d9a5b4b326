// Without clients all sums are 0.
>> {"jsonrpc":"2.0","id":1,"method":"sco_reputationSummary","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"count":0,"successfulHandshakes":0,"failedHandshakes":0,"invalidNetworks":0,"repeatedMessages":0,"validBlocks":0,"validTransactions":0,"invalidBlocks":0,"invalidTransactions":0,"invalidMessages":0,"timeoutMessages":0,"unexpectedMessages":0,"invalidHeader":0,"peersTotalScore":0,"punishments":0,"goodReputationCount":0,"badReputationCount":0}}
>> {"jsonrpc":"2.0","id":2,"method":"sco_reputationSummary","params":["127.0.0.1"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"sco_reputationSummary takes no arguments: got 1 argument"}}
