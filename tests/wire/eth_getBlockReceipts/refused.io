// Other bytes are refused.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":["newest"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument block: want a block number, tag or hash: want a QUANTITY such as 0x1f, got 'newest'; tags are latest, earliest, pending, safe, finalized"}}
