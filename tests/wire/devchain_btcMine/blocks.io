// Blocks are mined one after the other; at most 10,000 at once.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_btcMine","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":["5ad405bc21641750543afaf6514af95a88b0afaabc0af0d9a256440693925e54"]}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_btcMine","params":[2,"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"]}
<< {"jsonrpc":"2.0","id":2,"result":["34bc7a0b1f7f8c96a1ad6f605fe3314ddd8b15bca960675f71f5112f05014558","72457af18cda922f254c88802be20f6106c885a8787911c7a578dac63bbb419f"]}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_btcMine","params":[10001]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"10001 is no number of blocks: give 0 to 10,000"}}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_btcMine","params":[1,"x"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid address: 'x' is not one of Bitcoin's regtest"}}
