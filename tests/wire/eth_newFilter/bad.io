// A filter object is validated when the filter is installed.
>> {"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[{"topics":["0x12"]}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument query: topics: want 32 bytes, got 1"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_newFilter","params":[]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"eth_newFilter takes (query): got 0 arguments"}}
