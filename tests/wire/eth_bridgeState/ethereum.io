// Ethereum's rules have no Bridge.
// with {"hardfork": "prague"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_bridgeState","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"eth_bridgeState is Rootstock's and not available under --hardfork prague"}}
