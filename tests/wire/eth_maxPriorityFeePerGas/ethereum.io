// The fee is 1 gwei; on Rootstock the gas price.
// with {"hardfork": "prague"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_maxPriorityFeePerGas","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x3b9aca00"}
