// An account without a key sends, and is listed; it cannot sign a message.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no key is held for account 0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"}}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_impersonateAccount","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_setBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0xde0b6b3a7640000"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendTransaction","params":[{"from":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":4,"result":"0xbc11121e6ff7a36d8b7ad9cfd7a9a6289b789de15afa4716f17ff8566f4646ef"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getTransactionByHash","params":["{{4}}"]}
<< {"jsonrpc":"2.0","id":5,"result":{"hash":"0xbc11121e6ff7a36d8b7ad9cfd7a9a6289b789de15afa4716f17ff8566f4646ef","nonce":"0x0","blockHash":"0xd4800dc51f3a094d87d253ff368a26d6fb9a029a601c2f16e61501dbfa54cc20","blockNumber":"0x1","transactionIndex":"0x0","from":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x15f90","gasPrice":"0x0","value":"0x1","input":"0x","v":"0x62","r":"0x12994c1f311d18c20b985562d5587b3218ad162a6a5f8ec1d51dd83f7b83480a","s":"0x4fcd70a41507ff81d8c5543dd498210f5e2e1b8752bc24a1571fcaabea762cf2","type":"0x0"}}
>> {"jsonrpc":"2.0","id":6,"method":"eth_accounts","params":[]}
<< {"jsonrpc":"2.0","id":6,"result":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc","0x90f79bf6eb2c4f870365e785982e1f101e93b906","0x15d34aaf54267db7d7c367839aaf71a00a2c6a65","0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc","0x976ea74026e726554db657fa54763abd0c3a0aa9","0x14dc79964da2c08b23698b3d3cc7ca32193d9955","0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f","0xa0ee7a142d267c1f36714e4a8f75612f20a79720","0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"]}
>> {"jsonrpc":"2.0","id":7,"method":"eth_sign","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x12"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no key is held for account 0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"}}
