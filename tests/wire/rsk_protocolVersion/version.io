// The version of the Rootstock wire protocol.
>> {"jsonrpc":"2.0","id":1,"method":"rsk_protocolVersion","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x3e"}
