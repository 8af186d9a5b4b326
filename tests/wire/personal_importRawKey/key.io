// A key is 64 hex digits, with 0x or without.
>> {"jsonrpc":"2.0","id":1,"method":"personal_importRawKey","params":["4242424242424242424242424242424242424242424242424242424242424242","secret"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x17c5185167401ed00cf5f5b2fc97d9bbfdb7d025"}
>> {"jsonrpc":"2.0","id":2,"method":"personal_importRawKey","params":["0x4242424242424242424242424242424242424242424242424242424242424242","secret"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x17c5185167401ed00cf5f5b2fc97d9bbfdb7d025"}
>> {"jsonrpc":"2.0","id":3,"method":"personal_importRawKey","params":["0x12","secret"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"a private key is 64 hex digits, with or without 0x before them"}}
