// The hosted service does not take pending where the specification says so.
// with {"hosted": true, "api_key": ["key"]}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["pending"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32201,"message":"eth_getBlockByNumber does not take 'pending' on the hosted service: use 'latest'"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","pending"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x21e19e0c9bab2400000"}
