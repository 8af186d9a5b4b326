// The hosted service holds no keys.
// with {"hosted": true, "api_key": ["key"]}
>> {"jsonrpc":"2.0","id":1,"method":"eth_accounts","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":[]}
