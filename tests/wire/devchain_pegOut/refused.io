// The federation pays what was pegged in, and the Bridge takes no small amounts.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_pegOut","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",100000000]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"the federation has 0 satoshis, fewer than 100,000,000: peg in first"}}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_pegIn","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",150000000]}
<< {"jsonrpc":"2.0","id":2,"result":{"txid":"68e895749bfbb4f3dff3750f8d895889cc86c6f67abb5d3a9015ecae21489cc5","transactionHash":"0xed6290b27d1861868a39aa9fc28ea99022f32e57e54094da7954167bdf2f253e"}}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_pegOut","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",1000]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"a peg-out is at least 250,000 satoshis (0.0025 BTC) and at most 21,000,000 BTC"}}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_pegOut","params":["0x00000000000000000000000000000000000000c1",100000000]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"no key is held for account 0x00000000000000000000000000000000000000c1, which gets the bitcoins: import it"}}
