// The next blocks' fees go to the address.
>> {"jsonrpc":"2.0","id":1,"method":"miner_setEtherbase","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_coinbase","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}
>> {"jsonrpc":"2.0","id":3,"method":"miner_setEtherbase","params":["0x7099"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"argument address: want 20 bytes, got 2"}}
