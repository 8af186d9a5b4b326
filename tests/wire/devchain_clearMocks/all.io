// All mocks end.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_mockCall","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x","0x2a"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_clearMocks","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"to":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"},"latest"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x"}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_clearMocks","params":["0x"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"devchain_clearMocks takes no arguments: got 1 argument"}}
