// A block, a timestamp, or several blocks.
>> {"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x0"}
>> {"jsonrpc":"2.0","id":2,"method":"evm_mine","params":[1700000100]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
>> {"jsonrpc":"2.0","id":3,"method":"evm_mine","params":[{"blocks":2,"timestamp":"0x6553f200"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x4"}
>> {"jsonrpc":"2.0","id":5,"method":"evm_mine","params":[1]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"timestamp 1 is not after the head's; give at least 1700000258"}}
