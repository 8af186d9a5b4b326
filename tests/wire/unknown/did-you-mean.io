// The message suggests a similar name.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalnce","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method eth_getBalnce does not exist/is not available, did you mean eth_getBalance?"}}
>> {"jsonrpc":"2.0","id":2,"method":"nothing_likeIt","params":[]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"the method nothing_likeIt does not exist/is not available"}}
