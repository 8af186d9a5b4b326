// `--no-state-overrides` refuses them.
// with {"state_overrides": false}
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest",{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":{"code":"0x00"}}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"state override is not allowed: the node runs with --no-state-overrides, in Python Config(state_overrides=False)"}}
