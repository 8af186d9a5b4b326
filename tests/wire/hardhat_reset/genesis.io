// The chain is reset to genesis, also with viem's empty `forking`; a block of no fork is refused.
>> {"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x0"}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_reset","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0"}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_reset","params":[{}]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"hardhat_reset","params":[{"forking":{"blockNumber":"0x1"}}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"forking: the chain of this node is no fork: give the jsonRpcUrl of the node to fork"}}
>> {"jsonrpc":"2.0","id":6,"method":"hardhat_reset","params":[{"forking":{"blockNumber":null}}]}
<< {"jsonrpc":"2.0","id":6,"result":true}
