// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"debug_wireProtocolQueueSize","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"debug_wireProtocolQueueSize takes no arguments: got 1 argument"}}
