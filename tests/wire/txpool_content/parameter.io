// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"txpool_content","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"txpool_content takes no arguments: got 1 argument"}}
