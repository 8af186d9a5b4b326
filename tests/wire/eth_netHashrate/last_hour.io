// The result is the last hour's difficulty divided by 3600, a JSON number.
// with {"hardfork": "berlin"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_netHashrate","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":0}
>> {"jsonrpc":"2.0","id":2,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_netHashrate","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":36}
