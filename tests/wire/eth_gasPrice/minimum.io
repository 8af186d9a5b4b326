// The price is the minimum gas price plus 10 %, rounded up.
// with {"min_gas_price": 11}
>> {"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0xd"}
