// A block is a number or a tag.
>> {"jsonrpc":"2.0","id":1,"method":"erigon_getHeaderByNumber","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"erigon_getHeaderByNumber takes (block): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"erigon_getHeaderByNumber","params":["newest"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument block: want a block number, tag or hash: want a QUANTITY such as 0x1f, got 'newest'; tags are latest, earliest, pending, safe, finalized"}}
