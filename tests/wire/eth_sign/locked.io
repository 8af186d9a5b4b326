// A locked or unknown account cannot sign.
>> {"jsonrpc":"2.0","id":1,"method":"personal_lockAccount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sign","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"account 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 is locked: unlock it with personal_unlockAccount (devchain accounts unlock)"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sign","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"no key is held for account 0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"}}
