// Blocks are mined one after the other; at most 10,000 at once.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_btcMine","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":["197958c345807b0f2e06da5b9cb36e9da33865a8e0bea2bbfc2bf852a10abb7d"]}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_btcMine","params":[2,"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"]}
<< {"jsonrpc":"2.0","id":2,"result":["2e637bdaa29e6b5cc23836a6becbde23d12b445160553ca0c8a5846d6b633eee","559889eeaa80108956d8394d5dcf0878dc49dc25b646d3711cac60757313aadb"]}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_btcMine","params":[10001]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"10001 is no number of blocks: give 0 to 10,000"}}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_btcMine","params":[1,"x"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid address: 'x' is not one of Bitcoin's regtest"}}
