// A nonce is a number.
>> {"jsonrpc":"2.0","id":1,"method":"ots_getTransactionBySenderAndNonce","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"ots_getTransactionBySenderAndNonce takes (address, nonce): got 1 argument"}}
>> {"jsonrpc":"2.0","id":2,"method":"ots_getTransactionBySenderAndNonce","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",-1]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument nonce: -1 is negative"}}
