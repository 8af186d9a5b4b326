// Ten rewards can be spent at first; an address has confirmed outputs only.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_btcBalance","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0xba43b7400"}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_btcSend","params":["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",1000]}
<< {"jsonrpc":"2.0","id":2,"result":"64b34cbb4590e3556e64ce370761695f2055ba05af8c1bb438c5019a498ca3ee"}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_btcBalance","params":["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0"}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_btcMine","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":["44956fe610e76e10a1e4292495d8f0a3599e8010480238a8003f874aec805495"]}
>> {"jsonrpc":"2.0","id":5,"method":"devchain_btcBalance","params":["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x3e8"}
>> {"jsonrpc":"2.0","id":6,"method":"devchain_btcBalance","params":["bcrt1"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid address: 'bcrt1' is not one of Bitcoin's regtest"}}
