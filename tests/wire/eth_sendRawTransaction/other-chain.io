// A transaction for another chain is refused.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0xf85f80808252089470997970c51812dc3a010c7d01b50e0d17dc79c801805fa0df81700bacf7e2c7ee017a5521e22c0154d61d758bbdd3b3a4e0511e3071fbefa0410740df54300ba34276207a362684ff88fddee1e38c43bf0b60d8d94df98669"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32010,"message":"transaction is signed for chain id 30, this chain is 31"}}
