// Missing, surplus and mistyped parameters are refused by name.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setNextBlockBaseFeePerGas","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"hardhat_setNextBlockBaseFeePerGas takes (base_fee): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_setNextBlockBaseFeePerGas","params":[1.5]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument base_fee: want a QUANTITY such as 0x1f, got a fraction"}}
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_setNextBlockBaseFeePerGas","params":["0x0","0x0"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"hardhat_setNextBlockBaseFeePerGas takes (base_fee): got 2 arguments"}}
