// The chain is reset to genesis; a fork is refused, viem's empty `forking` is accepted.
>> {"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x0"}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_reset","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0"}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_reset","params":[{}]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"hardhat_reset","params":[{"forking":{"jsonRpcUrl":"http://localhost:1"}}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"the chain of this node is no fork: leave forking out to reset it, or start a node with --fork-url"}}
>> {"jsonrpc":"2.0","id":6,"method":"hardhat_reset","params":[{"forking":{"blockNumber":null}}]}
<< {"jsonrpc":"2.0","id":6,"result":true}
