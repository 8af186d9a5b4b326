// Accounts of anvil's dumps are loaded, compressed or not.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_loadState","params":["0x7b22626c6f636b223a7b2274696d657374616d70223a2230783635353366323030227d2c226163636f756e7473223a7b22307830623064306230643062306430623064306230643062306430623064306230643062306430623064223a7b226e6f6e6365223a332c2262616c616e6365223a22307837222c22636f6465223a2230783030222c2273746f72616765223a7b22307831223a22307835227d7d7d2c22626573745f626c6f636b5f6e756d626572223a307d"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","latest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x7"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getTransactionCount","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","latest"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x3"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getStorageAt","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x1","latest"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x0000000000000000000000000000000000000000000000000000000000000005"}
>> {"jsonrpc":"2.0","id":5,"method":"hardhat_loadState","params":["0x7b226163636f756e7473223a7b2230783132223a7b7d7d7d"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"accounts.0x12: not an address, want 40 hex digits"}}
