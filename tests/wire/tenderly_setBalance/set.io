// The balance of one account, or of several, is set.
>> {"jsonrpc":"2.0","id":1,"method":"tenderly_setBalance","params":[["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x70997970c51812dc3a010c7d01b50e0d17dc79c8"],"0x5"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"tenderly_setBalance","params":["0x7070707070707070707070707070707070707070",6]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBalance","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x5"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getBalance","params":["0x7070707070707070707070707070707070707070"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x6"}
>> {"jsonrpc":"2.0","id":5,"method":"tenderly_setBalance","params":[["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x1"],"0x5"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"argument addresses: want an even number of hex digits, got 1"}}
