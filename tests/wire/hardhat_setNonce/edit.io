// A nonce is set, also to a lower value.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setNonce","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x10"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionCount","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","pending"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x10"}
>> {"jsonrpc":"2.0","id":3,"method":"anvil_setNonce","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d",3]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getTransactionCount","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x3"}
