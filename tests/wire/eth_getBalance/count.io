// Too few and too many parameters are refused with the names of all.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"eth_getBalance takes (address, block?): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","latest",1]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"eth_getBalance takes (address, block?): got 3 arguments"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBalance","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",null,null,null]}
<< {"jsonrpc":"2.0","id":3,"result":"0x21e19e0c9bab2400000"}
