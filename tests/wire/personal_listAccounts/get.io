// The list is that of `eth_accounts`.
// with {"accounts": 2}
>> {"jsonrpc":"2.0","id":1,"method":"personal_listAccounts","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x70997970c51812dc3a010c7d01b50e0d17dc79c8"]}
