// Any nonce seals the block of the hash, once; an unknown hash seals nothing.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getWork","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":["0x95b873079936dce3e6d92d688ef26c2ad080e0d17b77241893a2bba0a4a8eebd","0x0000000000000000000000000000000000000000000000000000000000000000","0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"]}
>> {"jsonrpc":"2.0","id":2,"method":"eth_submitWork","params":["0x0000000000000001","{{1.0}}","0x0000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x1"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_submitWork","params":["0x0000000000000001","{{1.0}}","0x0000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":4,"result":false}
>> {"jsonrpc":"2.0","id":5,"method":"eth_submitWork","params":["0x0000000000000001","0xabababababababababababababababababababababababababababababababab","0x0000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":5,"result":false}
>> {"jsonrpc":"2.0","id":6,"method":"eth_submitWork","params":["0x01","0xabababababababababababababababababababababababababababababababab","0x0000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"argument nonce: want 8 bytes, got 1"}}
