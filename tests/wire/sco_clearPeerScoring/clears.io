// The result is the remaining list; a name is not an address.
>> {"jsonrpc":"2.0","id":1,"method":"sco_clearPeerScoring","params":["203.0.113.7"]}
<< {"jsonrpc":"2.0","id":1,"result":[]}
>> {"jsonrpc":"2.0","id":2,"method":"sco_clearPeerScoring","params":["everyone"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"'everyone' is not an IP address: sco_peerList has those that are known"}}
>> {"jsonrpc":"2.0","id":3,"method":"sco_clearPeerScoring","params":[]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"sco_clearPeerScoring takes (address): got 0 arguments"}}
