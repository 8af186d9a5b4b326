// Without a fork nothing changes; a URL is text.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setRpcUrl","params":["http://127.0.0.1:1"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_setRpcUrl","params":["http://127.0.0.1:1"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"anvil_setRpcUrl","params":[1]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"argument url: want a string, got a number"}}
