// The Bridge is told of Bitcoin's headers; the result is null, as powpeg-node's.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"fed_updateBridge","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":2,"method":"eth_bridgeState","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":{"rskTxsWaitingForSignatures":[],"btcBlockchainBestChainHeight":110}}
