// Ten rewards can be spent at first; an address has confirmed outputs only.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_btcBalance","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0xba43b7400"}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_btcSend","params":["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",1000]}
<< {"jsonrpc":"2.0","id":2,"result":"4a293d335d7d899a8b2e75e480fefde057489cea0bcee4bfac48f80133091ac2"}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_btcBalance","params":["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0"}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_btcMine","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":["7cb64fe3a7257cbc1dbb516c58ccd2e6141bee10e85a7fac668909d816d75f7f"]}
>> {"jsonrpc":"2.0","id":5,"method":"devchain_btcBalance","params":["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x3e8"}
>> {"jsonrpc":"2.0","id":6,"method":"devchain_btcBalance","params":["bcrt1"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid address: 'bcrt1' is not one of Bitcoin's regtest"}}
