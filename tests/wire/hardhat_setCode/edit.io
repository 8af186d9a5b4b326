// An account gets code, which is executed at once, and loses it.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setCode","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x602a60005260206000f3"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_call","params":[{"to":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"},"latest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x000000000000000000000000000000000000000000000000000000000000002a"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getCode","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x602a60005260206000f3"}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_setCode","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x"]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getCode","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x"}
>> {"jsonrpc":"2.0","id":6,"method":"hardhat_setCode","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x1"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"argument code: want an even number of hex digits, got 1"}}
