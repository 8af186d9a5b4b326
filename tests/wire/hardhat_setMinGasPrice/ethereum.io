// Ethereum's blocks have no minimum gas price.
// with {"hardfork": "prague"}
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setMinGasPrice","params":["0x5"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"hardhat_setMinGasPrice is not supported when EIP-1559 is active: use hardhat_setNextBlockBaseFeePerGas"}}
