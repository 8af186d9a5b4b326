// A mined or pending transaction, encoded as it was sent.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0xb341151019feac6b1c0fe561743309521324c0bf6cfba4e489bd9dc0881f4e77"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getRawTransactionByHash","params":["{{1}}"]}
<< {"jsonrpc":"2.0","id":2,"result":"0xf860808083015f909470997970c51812dc3a010c7d01b50e0d17dc79c8808061a0c78488e8751a7505796f7a6423f1a87e8c723cf237b187f6daf509fe29a06af7a07124dc3f463a9a8919a1d8a8a7def40049e76bbbd16b4bd0dd2dc824770a2be3"}
>> {"jsonrpc":"2.0","id":3,"method":"evm_setAutomine","params":[false]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":4,"result":"0x2ea208b40aa70facb3415238ebbb8a06c5d7c90d80a48455118b0513bf40fb6e"}
>> {"jsonrpc":"2.0","id":5,"method":"debug_getRawTransaction","params":["{{4}}"]}
<< {"jsonrpc":"2.0","id":5,"result":"0xf860018083015f909470997970c51812dc3a010c7d01b50e0d17dc79c8808062a0a4fe9933304af213cfc7873850d5a0e17d127fd2a2fb5b71015eb79bb8e95d2ea036248fc2e986c669f31306ce37936f1600f70a00d574741ea12ff4f62cfd64d6"}
>> {"jsonrpc":"2.0","id":6,"method":"eth_getRawTransactionByHash","params":["0x0000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":6,"result":null}
