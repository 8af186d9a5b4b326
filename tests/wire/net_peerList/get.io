// There are no peers to list.
>> {"jsonrpc":"2.0","id":1,"method":"net_peerList","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":[]}
