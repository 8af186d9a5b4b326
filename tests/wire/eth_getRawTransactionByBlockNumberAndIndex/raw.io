// An encoded transaction by its index.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0xb341151019feac6b1c0fe561743309521324c0bf6cfba4e489bd9dc0881f4e77"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getRawTransactionByBlockNumberAndIndex","params":["latest","0x0"]}
<< {"jsonrpc":"2.0","id":2,"result":"0xf860808083015f909470997970c51812dc3a010c7d01b50e0d17dc79c8808061a0c78488e8751a7505796f7a6423f1a87e8c723cf237b187f6daf509fe29a06af7a07124dc3f463a9a8919a1d8a8a7def40049e76bbbd16b4bd0dd2dc824770a2be3"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getRawTransactionByBlockNumberAndIndex","params":["0x9","0x0"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
