// A ban is removed by the text it was set with.
>> {"jsonrpc":"2.0","id":1,"method":"sco_banAddress","params":["10.0.0.0/8"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":2,"method":"sco_unbanAddress","params":["10.0.0.1"]}
<< {"jsonrpc":"2.0","id":2,"result":null}
>> {"jsonrpc":"2.0","id":3,"method":"sco_bannedAddresses","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":["10.0.0.0/8"]}
>> {"jsonrpc":"2.0","id":4,"method":"sco_unbanAddress","params":["10.0.0.0/8"]}
<< {"jsonrpc":"2.0","id":4,"result":null}
>> {"jsonrpc":"2.0","id":5,"method":"sco_bannedAddresses","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":[]}
>> {"jsonrpc":"2.0","id":6,"method":"sco_unbanAddress","params":["::1"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"invalid banned address '::1': loopback and wildcard are never banned"}}
