// A batch over the limit is refused as a whole.
// with {"max_batch": 1}
>> [{"id":1,"method":"evm_mine"},{"id":2,"method":"evm_mine"}]
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the batch has 2 calls: at most 1 are allowed (--max-batch)"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
