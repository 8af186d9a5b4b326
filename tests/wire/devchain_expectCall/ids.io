// Ids count from 1; the address, a negative count and other arguments are checked.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_expectCall","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x01020304"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_expectCall","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x","0x5","0x2"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x2"}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_expectCall","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x",null,"0x0"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x3"}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_expectCall","params":["0x01","0x"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument address: want 20 bytes, got 1"}}
>> {"jsonrpc":"2.0","id":5,"method":"devchain_expectCall","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x",null,-1]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"argument count: -1 is negative"}}
