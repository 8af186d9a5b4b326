// A balance is increased, up to 256 bits.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_addBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0x5"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_addBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d",5]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"]}
<< {"jsonrpc":"2.0","id":3,"result":"0xa"}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_addBalance","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"the balance would be 115792089237316195423570985008687907853269984665640564039457584007913129639945 wei, more than 256 bits hold: add less"}}
