// Slots of several accounts at once.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageValues","params":[{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":["0x0","0x1"],"0x0000000000000000000000000000000001000006":["0x5"]},"latest"]}
<< {"jsonrpc":"2.0","id":1,"result":{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":["0x0000000000000000000000000000000000000000000000000000000000000000","0x0000000000000000000000000000000000000000000000000000000000000000"],"0x0000000000000000000000000000000001000006":["0x0000000000000000000000000000000000000000000000000000000000000000"]}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getStorageValues","params":[{}]}
<< {"jsonrpc":"2.0","id":2,"result":{}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getStorageValues","params":[{"0x12":["0x0"]}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"argument slots: want 20 bytes, got 1"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getStorageValues","params":[{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":["0x0"]},"0x99"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"header not found: there is no block 153; the newest block is 0"}}
