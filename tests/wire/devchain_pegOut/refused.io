// The federation pays what was pegged in, and the Bridge takes no small amounts.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_pegOut","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",100000000]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"the federation has 0 satoshis, fewer than 100,000,000: peg in first"}}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_pegIn","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",150000000]}
<< {"jsonrpc":"2.0","id":2,"result":{"txid":"cd7f6e997ef77c9894bf5213732686d6fb1f1176a7d3d4bcef7a1b0f7e687b5e","transactionHash":"0x51fef228d2d0047568c1815e9921d2e8335fa653c5a33df3d66dbba77eb59f1f"}}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_pegOut","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",1000]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"a peg-out is at least 250,000 satoshis (0.0025 BTC) and at most 21,000,000 BTC"}}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_pegOut","params":["0x00000000000000000000000000000000000000c1",100000000]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"no key is held for account 0x00000000000000000000000000000000000000c1, which gets the bitcoins: import it"}}
