// A call, an estimate or a trace that takes longer than `--request-timeout` is -32011.
// with {"request_timeout": 0.000001}
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest",{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":{"code":"0x5b600056"}}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32011,"message":"execution timed out after 1e-06 s (--request-timeout)"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_estimateGas","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest",{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":{"code":"0x5b600056"}}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32011,"message":"execution timed out after 1e-06 s (--request-timeout)"}}
>> {"jsonrpc":"2.0","id":3,"method":"debug_traceCall","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest",{"stateOverrides":{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":{"code":"0x5b600056"}}}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32011,"message":"execution timed out after 1e-06 s (--request-timeout)"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x0"}
