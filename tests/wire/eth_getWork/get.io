// Header hash, zero seed hash, and the boundary of difficulty 1.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getWork","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":["0x95b873079936dce3e6d92d688ef26c2ad080e0d17b77241893a2bba0a4a8eebd","0x0000000000000000000000000000000000000000000000000000000000000000","0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"]}
