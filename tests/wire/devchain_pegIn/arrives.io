// Bitcoins of the wallet become RBTC of an account, or of one without a key here.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_pegIn","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",150000000]}
<< {"jsonrpc":"2.0","id":1,"result":{"txid":"cd7f6e997ef77c9894bf5213732686d6fb1f1176a7d3d4bcef7a1b0f7e687b5e","transactionHash":"0x51fef228d2d0047568c1815e9921d2e8335fa653c5a33df3d66dbba77eb59f1f"}}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_pegIn","params":["0x00000000000000000000000000000000000000c1","0x5f5e100"]}
<< {"jsonrpc":"2.0","id":2,"result":{"txid":"9043c405648522c5bcf62e05dd59ad4004e1806195172aac269792ef7722582b","transactionHash":"0x7327f38d6d0bbd9a786a3762cbbfc4fd465a186e5b46f07c06046815cf08c1d6"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBalance","params":["0x00000000000000000000000000000000000000c1","latest"]}
<< {"jsonrpc":"2.0","id":3,"result":"0xde0b6b3a7640000"}
