// A client in the node's process has no address and is not listed.
>> {"jsonrpc":"2.0","id":1,"method":"sco_peerList","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":[]}
>> {"jsonrpc":"2.0","id":2,"method":"sco_peerList","params":["127.0.0.1"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"sco_peerList takes no arguments: got 1 argument"}}
