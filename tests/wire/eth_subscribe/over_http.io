// Subscriptions need a persistent connection.
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"eth_subscribe needs a persistent connection: use WebSocket (ws://) or IPC"}}
