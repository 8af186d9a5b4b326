// Header hash, no seed, and the boundary of difficulty 1.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getWork","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":["0xc7a78ad2c4f85290b255017bc559071eaed9e24299dc22f63e4baaf75916d1b1","0x0000000000000000000000000000000000000000000000000000000000000000","0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"]}
