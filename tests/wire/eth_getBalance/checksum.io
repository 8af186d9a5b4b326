// With `--checksum-addresses` a mixed-case address must have the checksum of the chain id.
// with {"checksum_addresses": true}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xF39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument address: 0xF39fd6e51aad88f6f4ce6ab8827279cfffb92266 has a wrong checksum for chain id 31 (EIP-1191): if the digits are right it is 0xf39FD6e51AAd88F6f4cE6Ab8827279CfFFB92266"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x21e19e0c9bab2400000"}
