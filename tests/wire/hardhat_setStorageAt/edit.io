// A slot is written, its value padded to 32 bytes.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setStorageAt","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x0","0x000000000000000000000000000000000000000000000000000000000000002a"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getStorageAt","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x0"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x000000000000000000000000000000000000000000000000000000000000002a"}
>> {"jsonrpc":"2.0","id":3,"method":"anvil_setStorageAt","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d",1,"0x7b"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getStorageAt","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x1"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x000000000000000000000000000000000000000000000000000000000000007b"}
>> {"jsonrpc":"2.0","id":5,"method":"hardhat_setStorageAt","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x0","0x10000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"argument value: '0x10000000000000000000000000000000000000000000000000000000000000000' is larger than 256 bits hold"}}
