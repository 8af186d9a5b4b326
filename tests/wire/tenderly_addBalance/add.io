// The balance of one account, or of several, is increased.
>> {"jsonrpc":"2.0","id":1,"method":"tenderly_addBalance","params":[["0x7070707070707070707070707070707070707070","0x7070707070707070707070707070707070707070"],"0x5"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"tenderly_addBalance","params":["0x7070707070707070707070707070707070707070","0x1"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBalance","params":["0x7070707070707070707070707070707070707070"]}
<< {"jsonrpc":"2.0","id":3,"result":"0xb"}
>> {"jsonrpc":"2.0","id":4,"method":"tenderly_addBalance","params":["0x1","0x5"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument addresses: want an even number of hex digits, got 1"}}
