// It takes a passphrase.
>> {"jsonrpc":"2.0","id":1,"method":"personal_newAccount","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"personal_newAccount takes (passphrase): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"personal_newAccount","params":[1]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument passphrase: want a string, got a number"}}
