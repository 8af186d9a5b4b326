// Only the next block has the value; a contract reads it.
// with {"hardfork": "prague"}
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setCode","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x4460005260206000f3"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_setPrevRandao","params":["0x2a"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_call","params":[{"to":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"},"latest"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x000000000000000000000000000000000000000000000000000000000000002a"}
>> {"jsonrpc":"2.0","id":5,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":"0x0"}
>> {"jsonrpc":"2.0","id":6,"method":"eth_call","params":[{"to":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"},"latest"]}
<< {"jsonrpc":"2.0","id":6,"result":"0xe016020fa1f90fec1996473a015895098ea1e21a6dafe51368009379a0c10ae9"}
