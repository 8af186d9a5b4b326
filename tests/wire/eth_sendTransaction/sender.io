// The sender is required and its key must be unlocked.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"from is missing: name the account that sends"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"no key is held for account 0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"}}
>> {"jsonrpc":"2.0","id":3,"method":"personal_lockAccount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"account 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 is locked: unlock it with personal_unlockAccount (devchain accounts unlock)"}}
