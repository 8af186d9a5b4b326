// Bitcoins of the wallet become RBTC of an account, or of one without a key here.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_pegIn","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",150000000]}
<< {"jsonrpc":"2.0","id":1,"result":{"txid":"68e895749bfbb4f3dff3750f8d895889cc86c6f67abb5d3a9015ecae21489cc5","transactionHash":"0xed6290b27d1861868a39aa9fc28ea99022f32e57e54094da7954167bdf2f253e"}}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_pegIn","params":["0x00000000000000000000000000000000000000c1","0x5f5e100"]}
<< {"jsonrpc":"2.0","id":2,"result":{"txid":"075e196a1a84c6b22e2158f5237921ae65f7f5a2c7d955a6b1e7057aca054c4f","transactionHash":"0x1d2f2f2dcac48f5ceb6efd7269538a43579def429768a94990b20934e67f8119"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBalance","params":["0x00000000000000000000000000000000000000c1","latest"]}
<< {"jsonrpc":"2.0","id":3,"result":"0xde0b6b3a7640000"}
