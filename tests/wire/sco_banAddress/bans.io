// Addresses and networks are banned; loopback and names cannot be.
>> {"jsonrpc":"2.0","id":1,"method":"sco_banAddress","params":["203.0.113.7"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":2,"method":"sco_banAddress","params":["10.1.2.3/8"]}
<< {"jsonrpc":"2.0","id":2,"result":null}
>> {"jsonrpc":"2.0","id":3,"method":"sco_bannedAddresses","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":["203.0.113.7","10.0.0.0/8"]}
>> {"jsonrpc":"2.0","id":4,"method":"sco_banAddress","params":["127.0.0.1"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"invalid banned address '127.0.0.1': loopback and wildcard are never banned"}}
>> {"jsonrpc":"2.0","id":5,"method":"sco_banAddress","params":["example.org"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"invalid banned address 'example.org': want an IP address, or CIDR as 10.0.0.0/8"}}
>> {"jsonrpc":"2.0","id":6,"method":"sco_banAddress","params":["10.0.0.0/33"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"invalid banned address '10.0.0.0/33': want an IP address, or CIDR as 10.0.0.0/8"}}
