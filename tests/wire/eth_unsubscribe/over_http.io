// Subscriptions need a persistent connection.
>> {"jsonrpc":"2.0","id":1,"method":"eth_unsubscribe","params":["0x1"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"eth_unsubscribe needs a persistent connection: use WebSocket (ws://) or IPC"}}
