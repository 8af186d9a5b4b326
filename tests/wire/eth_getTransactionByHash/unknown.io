// An unknown hash is null.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByHash","params":["0xabababababababababababababababababababababababababababababababab"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
