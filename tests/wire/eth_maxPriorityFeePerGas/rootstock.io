// On Rootstock the fee is the whole gas price.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setMinGasPrice","params":["0x64"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_maxPriorityFeePerGas","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x6e"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_gasPrice","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x6e"}
