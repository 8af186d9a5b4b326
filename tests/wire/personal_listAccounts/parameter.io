// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"personal_listAccounts","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"personal_listAccounts takes no arguments: got 1 argument"}}
