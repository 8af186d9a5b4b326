// There is no merged mining under Ethereum's rules.
// with {"hardfork": "london"}
>> {"jsonrpc":"2.0","id":1,"method":"mnr_getWork","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"mnr_getWork is Rootstock's and not available under --hardfork london"}}
