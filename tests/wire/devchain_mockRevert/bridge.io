// A call of the Bridge reverts with the payload.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_mockRevert","params":["0x0000000000000000000000000000000001000006","0x","0x01020304"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_call","params":[{"to":"0x0000000000000000000000000000000001000006","data":"0x"},"latest"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32015,"message":"VM Exception while processing transaction: execution reverted: custom error 0x01020304","data":"0x01020304"}}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_mockRevert","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"devchain_mockRevert takes (address, data, payload, value?): got 2 arguments"}}
