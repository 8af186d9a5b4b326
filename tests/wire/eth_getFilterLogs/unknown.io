// An unknown id is an error, and so is a filter of another kind.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getFilterLogs","params":["0x1"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"filter not found"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_newBlockFilter","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x1"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getFilterLogs","params":["0x1"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"not a log filter: use eth_getFilterChanges"}}
