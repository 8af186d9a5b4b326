// The message is the first parameter: DATA, or text.
>> {"jsonrpc":"2.0","id":1,"method":"personal_sign","params":["0x68656c6c6f","0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xf16ea9a3478698f695fd1401bfe27e9e4a7e8e3da94aa72b021125e31fa899cc573c48ea3fe1d4ab61a9db10c19032026e3ed2dbccba5a178235ac27f94504311c"}
>> {"jsonrpc":"2.0","id":2,"method":"personal_sign","params":["hello","0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",""]}
<< {"jsonrpc":"2.0","id":2,"result":"0xf16ea9a3478698f695fd1401bfe27e9e4a7e8e3da94aa72b021125e31fa899cc573c48ea3fe1d4ab61a9db10c19032026e3ed2dbccba5a178235ac27f94504311c"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sign","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x68656c6c6f"]}
<< {"jsonrpc":"2.0","id":3,"result":"0xf16ea9a3478698f695fd1401bfe27e9e4a7e8e3da94aa72b021125e31fa899cc573c48ea3fe1d4ab61a9db10c19032026e3ed2dbccba5a178235ac27f94504311c"}
>> {"jsonrpc":"2.0","id":4,"method":"personal_sign","params":["hello","0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","wrong"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"wrong passphrase for 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266: a funded account's is empty"}}
