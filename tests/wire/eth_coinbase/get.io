// The coinbase is that of the real node on regtest.
>> {"jsonrpc":"2.0","id":1,"method":"eth_coinbase","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d"}
