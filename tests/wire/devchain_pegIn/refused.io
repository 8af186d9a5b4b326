// The wallet has 500 bitcoins; an amount is more than 0.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_pegIn","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0xba43b74000"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32010,"message":"Insufficient funds"}}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_pegIn","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",0]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"a peg-in is at least 500,000 satoshis (0.005 BTC) and at most 21,000,000 BTC"}}
