// Windows that are too large and unknown members are errors; a reversed range has no traces.
>> {"jsonrpc":"2.0","id":1,"method":"trace_filter","params":[{"fromBlock":"0x2","toBlock":"0x1"}]}
<< {"jsonrpc":"2.0","id":1,"result":[]}
>> {"jsonrpc":"2.0","id":2,"method":"trace_filter","params":[{"count":10001}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument query: Count value too big. Maximum 10000 traces allowed."}}
>> {"jsonrpc":"2.0","id":3,"method":"trace_filter","params":[{"after":-1}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"argument query: After value cannot be negative."}}
>> {"jsonrpc":"2.0","id":4,"method":"trace_filter","params":[{"address":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument query: Invalid trace_filter parameters. Unknown member 'address': known are after, count, fromAddress, fromBlock, toAddress, toBlock"}}
