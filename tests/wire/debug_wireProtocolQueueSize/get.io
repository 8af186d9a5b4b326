// Without peers the queue is empty.
>> {"jsonrpc":"2.0","id":1,"method":"debug_wireProtocolQueueSize","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x0"}
