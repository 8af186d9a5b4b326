// Other bytes are refused with a reason.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_loadState","params":["0x00"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"not a dump: want JSON, or gzip of it: unexpected character, expected a JSON value: line 1 column 1 (char 0)"}}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_loadState","params":["0x7b7d"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"not a dump this node knows: want what anvil_dumpState gave, here or from anvil"}}
>> {"jsonrpc":"2.0","id":3,"method":"anvil_loadState","params":["0x1f8b"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"not a dump: the gzip around it ends too early"}}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_loadState","params":["0x7b22646576636861696e223a7b22666f726d6174223a397d7d"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"the dump has format 9, this node 1: load it with the version of devchain that wrote it"}}
