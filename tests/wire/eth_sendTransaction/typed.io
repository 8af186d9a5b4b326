// Only legacy transactions are signed.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","type":"0x2"}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32010,"message":"transaction type 2 (EIP-1559 dynamic fee) is not supported: use a legacy transaction, type 0 (--legacy in cast, forge), or try --hardfork next"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","maxFeePerGas":"0x1"}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32010,"message":"transaction type 2 (EIP-1559 dynamic fee) is not supported: use a legacy transaction, type 0 (--legacy in cast, forge), or try --hardfork next"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","chainId":"0x1"}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid chainId: 1, this chain is 31"}}
