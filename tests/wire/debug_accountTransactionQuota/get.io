// There are no quotas: the answer is null.
>> {"jsonrpc":"2.0","id":1,"method":"debug_accountTransactionQuota","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":2,"method":"debug_accountTransactionQuota","params":["0x12"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument address: want 20 bytes, got 1"}}
