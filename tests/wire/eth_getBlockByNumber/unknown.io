// A block that does not exist is null.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["0x1",false]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBlockByNumber","params":["0xabababababababababababababababababababababababababababababababab",false]}
<< {"jsonrpc":"2.0","id":2,"result":null}
