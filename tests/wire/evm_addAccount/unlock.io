// An account added as in ganache sends without a key.
>> {"jsonrpc":"2.0","id":1,"method":"evm_addAccount","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","any"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"evm_addAccount","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","any"]}
<< {"jsonrpc":"2.0","id":2,"result":false}
>> {"jsonrpc":"2.0","id":3,"method":"personal_unlockAccount","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","any",0]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendTransaction","params":[{"from":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":4,"result":"0x157792df8a588088ccad7c9774ecc13d8b37ed3979ca806b625a513d0861905b"}
