// An address is paid; the id has no 0x.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_btcSend","params":["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",100000000]}
<< {"jsonrpc":"2.0","id":1,"result":"72ff1ac4972b7f882d86039a2f37adf884ac9c1d5864eb006cd6d621783b8e5f"}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_btcSend","params":["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080","0x0"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"0 is no amount in satoshis: give 1 to 2,100,000,000,000,000"}}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_btcSend","params":["1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",1000]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid address: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2' is not one of Bitcoin's regtest"}}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_btcSend","params":["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",100000000000000]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32010,"message":"Insufficient funds"}}
