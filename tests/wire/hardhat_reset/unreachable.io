// A node that cannot be forked is an error with a code of its own; the chain stays.
>> {"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x0"}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_reset","params":[{"forking":{"jsonRpcUrl":"http://127.0.0.1:1/KEY"}}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"http://127.0.0.1:1 cannot be reached (connection refused): check the URL"}}
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_reset","params":[{"forking":{"jsonRpcUrl":"file:///etc/passwd"}}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"forking: the fork URL is not that of a node; write it like http://127.0.0.1:4444"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x1"}
