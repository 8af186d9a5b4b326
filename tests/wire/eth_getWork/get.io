// Header hash, zero seed hash, and the boundary of difficulty 1.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getWork","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":["0xece9ce1f349690161641c577a90b42ad05058959f1a8bae846875b50162333fe","0x0000000000000000000000000000000000000000000000000000000000000000","0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"]}
