// A block is a number or a tag.
>> {"jsonrpc":"2.0","id":1,"method":"ots_getBlockDetails","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"ots_getBlockDetails takes (block): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"ots_getBlockDetails","params":[-1]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument block: want a block number, tag or hash: -1 is negative; tags are latest, earliest, pending, safe, finalized"}}
