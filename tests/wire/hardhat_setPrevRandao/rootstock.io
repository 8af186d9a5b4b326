// Rootstock's blocks have no random value.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setPrevRandao","params":["0x2a"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"blocks of vetiver have no random value: use --hardfork prague"}}
