// On Rootstock it is the minimum gas price of the next blocks.
>> {"jsonrpc":"2.0","id":1,"method":"miner_setGasPrice","params":["0x493e0"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_gasPrice","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x50910"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x00083989341d345610bec841c8c77ec37ddee71e7bc184dc60e3065c6d92d9da"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gasPrice":"0x1"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32010,"message":"transaction's gas price lower than block's minimum: 1 < 300000 wei"}}
>> {"jsonrpc":"2.0","id":5,"method":"miner_setGasPrice","params":[-1]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"argument price: -1 is negative"}}
