// `jsonrpc` and `params` may be absent, `params` null.
>> {"id":1,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":1,"result":"0x1f"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":null}
<< {"jsonrpc":"2.0","id":1,"result":"0x1f"}
