// No releases wait for signatures; the height is that of the network's first bitcoin block.
>> {"jsonrpc":"2.0","id":1,"method":"eth_bridgeState","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"rskTxsWaitingForSignatures":[],"btcBlockchainBestChainHeight":1413216}}
