// On main and test there is no Bitcoin.
>> {"jsonrpc":"2.0","id":1,"method":"fed_updateBridge","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Bitcoin is simulated on regtest: the Bridge of chain 31 begins with blocks of Bitcoin's own network; start the node with --network local"}}
