// Methods that --methods and --no-methods disable are errors, and rpc_modules omits them.
// with {"methods": ["eth", "evm", "rpc"], "no_methods": ["evm_mine"]}
>> {"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"evm_mine is disabled on this node: start without --no-methods to use it"}}
>> {"jsonrpc":"2.0","id":2,"method":"net_version","params":[]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"net_version is disabled on this node: start with --methods net_version too to use it"}}
>> {"jsonrpc":"2.0","id":3,"method":"rpc_modules","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":{"eth":"1.0","rpc":"1.0","evm":"1.0"}}
>> {"jsonrpc":"2.0","id":4,"method":"evm_snapshot","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x1"}
