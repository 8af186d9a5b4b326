// An account no longer sends without its key.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_impersonateAccount","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_stopImpersonatingAccount","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"anvil_stopImpersonatingAccount","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"]}
<< {"jsonrpc":"2.0","id":3,"result":false}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendTransaction","params":[{"from":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"no key is held for account 0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"}}
