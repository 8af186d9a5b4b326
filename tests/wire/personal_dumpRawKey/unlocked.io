// The key of an unlocked account is returned.
>> {"jsonrpc":"2.0","id":1,"method":"personal_dumpRawKey","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"}
>> {"jsonrpc":"2.0","id":2,"method":"personal_dumpRawKey","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"no key is held for account 0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"}}
