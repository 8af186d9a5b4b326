// An account without a key sends and pays as any other.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setBalance","params":["0x00000000000000000000000000000000000000bb","0xde0b6b3a7640000"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendUnsignedTransaction","params":[{"from":"0x00000000000000000000000000000000000000bb","to":"0x00000000000000000000000000000000000000cc","value":"0x5"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0xbeb9d644afb49bca466b6a62af6409e4540248249759406c08789f9de456619f"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getTransactionByHash","params":["{{2}}"]}
<< {"jsonrpc":"2.0","id":3,"result":{"hash":"0xbeb9d644afb49bca466b6a62af6409e4540248249759406c08789f9de456619f","nonce":"0x0","blockHash":"0xc1f551bfdd25eb79c1ab2970012f6b44fd42563806fb4c6060b48f7af75e27e0","blockNumber":"0x1","transactionIndex":"0x0","from":"0x00000000000000000000000000000000000000bb","to":"0x00000000000000000000000000000000000000cc","gas":"0x15f90","gasPrice":"0x0","value":"0x5","input":"0x","v":"0x61","r":"0x92f439515d315aadc999b7e36169dffd68c9117a38520ac077a0e5b220e31ccb","s":"0x3aa51232b90baefff6c22caa42df2330b07b7239598a4253fe9f4af3165f87d2","type":"0x0"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendUnsignedTransaction","params":[{"from":"0x00000000000000000000000000000000000000dd","value":"0x5"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32010,"message":"the sender account doesn't exist (insufficient funds: 0x00000000000000000000000000000000000000dd has none)"}}
>> {"jsonrpc":"2.0","id":5,"method":"eth_sendUnsignedTransaction","params":[{"value":"0x5"}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"from is missing: name the account that sends"}}
>> {"jsonrpc":"2.0","id":6,"method":"eth_sendTransaction","params":[{"from":"0x00000000000000000000000000000000000000bb"}]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32000,"message":"no key is held for account 0x00000000000000000000000000000000000000bb"}}
