// A balance is set without a block: in hex, as an integer, as decimal text.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x1bc16d674ec80000"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","latest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x1bc16d674ec80000"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0"}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_setBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d",1000]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","pending"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x3e8"}
>> {"jsonrpc":"2.0","id":6,"method":"evm_setAccountBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","12345678901234567890123"]}
<< {"jsonrpc":"2.0","id":6,"result":true}
>> {"jsonrpc":"2.0","id":7,"method":"eth_getBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"]}
<< {"jsonrpc":"2.0","id":7,"result":"0x29d42b64e76714244cb"}
>> {"jsonrpc":"2.0","id":8,"method":"hardhat_setBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x"]}
<< {"jsonrpc":"2.0","id":8,"result":true}
>> {"jsonrpc":"2.0","id":9,"method":"eth_getBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"]}
<< {"jsonrpc":"2.0","id":9,"result":"0x0"}
>> {"jsonrpc":"2.0","id":10,"method":"hardhat_setBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","-1"]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":"argument balance: want a QUANTITY such as 0x1f, got '-1'"}}
