// The client version is a text, here the one set by `--client-version`.
>> {"jsonrpc":"2.0","id":1,"method":"web3_clientVersion","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"devchain/golden"}
