// The result is the next block's base fee.
// with {"hardfork": "prague"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_baseFee","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x342770c0"}
>> {"jsonrpc":"2.0","id":2,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_baseFee","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x2da282a8"}
