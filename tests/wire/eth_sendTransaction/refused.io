// A transaction that the mempool rejects is -32010 with the real node's message.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0xffffffffffffffffffff"}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32010,"message":"insufficient funds to pay for pending and new transactions: balance 10000000000000000000000 wei, cost 1208925819614629174706175 wei"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0xffffff"}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32010,"message":"transaction's gas limit of 16777215 is higher than the block's gas limit of 6800000; give it less, or raise --gas-limit or Config.gas_limit"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x1"}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32010,"message":"transaction's basic cost is above the gas limit: needs 21000 gas, has 1"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","nonce":"0x99"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32010,"message":"transaction nonce too high: next nonce 0, tx nonce 153, at most 16 may wait (--account-slots or Config.account_slots)"}}
>> {"jsonrpc":"2.0","id":5,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":5,"result":"0x7663ff7365426dc397f38e4e222b8702feb967acc82a7192e0137ddfa2c95ae9"}
>> {"jsonrpc":"2.0","id":6,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","nonce":"0x0"}]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32010,"message":"transaction nonce too low: next nonce 1, tx nonce 0"}}
