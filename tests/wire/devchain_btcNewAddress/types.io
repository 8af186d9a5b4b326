// There are three types of addresses.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_btcNewAddress","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"mkvPoVpqPpSAs9AAZsq9WpBzmud4onV7Tb"}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_btcNewAddress","params":["bech32"]}
<< {"jsonrpc":"2.0","id":2,"result":"bcrt1qquv9lg5g2r4jkr0ahun0ddfg5xntxjelwjpnuw"}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_btcNewAddress","params":["p2sh-segwit"]}
<< {"jsonrpc":"2.0","id":3,"result":"2N2bjA9C1maBSJQJgeLGgcfLJvmEdTL7xXW"}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_btcNewAddress","params":["bech32m"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Unknown address type 'bech32m': choose legacy, p2sh-segwit, bech32"}}
