// Submitted rates add up; a rate has at most 64 bits, a miner id 32 bytes.
>> {"jsonrpc":"2.0","id":1,"method":"eth_submitHashrate","params":["0x0000000000000000000000000000000000000000000000000000000000500000","0x1111111111111111111111111111111111111111111111111111111111111111"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_submitHashrate","params":["0x5","0x2222222222222222222222222222222222222222222222222222222222222222"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_hashrate","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x500005"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_submitHashrate","params":["0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","0x1111111111111111111111111111111111111111111111111111111111111111"]}
<< {"jsonrpc":"2.0","id":4,"result":false}
>> {"jsonrpc":"2.0","id":5,"method":"eth_submitHashrate","params":["0x1","0x11"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"argument client: want 32 bytes, got 1"}}
