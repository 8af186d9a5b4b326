// The list is empty at first; addresses come before networks.
>> {"jsonrpc":"2.0","id":1,"method":"sco_bannedAddresses","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":[]}
>> {"jsonrpc":"2.0","id":2,"method":"sco_banAddress","params":["10.0.0.0/8"]}
<< {"jsonrpc":"2.0","id":2,"result":null}
>> {"jsonrpc":"2.0","id":3,"method":"sco_banAddress","params":["2001:db8::1"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
>> {"jsonrpc":"2.0","id":4,"method":"sco_bannedAddresses","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":["2001:db8::1","10.0.0.0/8"]}
>> {"jsonrpc":"2.0","id":5,"method":"sco_bannedAddresses","params":["10.0.0.0/8"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"sco_bannedAddresses takes no arguments: got 1 argument"}}
