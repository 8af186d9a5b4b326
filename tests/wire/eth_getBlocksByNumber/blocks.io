// One block of a height, none above the head; the height may be decimal.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlocksByNumber","params":["0x0"]}
<< {"jsonrpc":"2.0","id":1,"result":[{"hash":"0x8e0f7858676ae429b05243c1fa2e0638b87fca176c4e80b9ee88db6cd87777ed","totalDifficulty":"0x1","inMainChain":true}]}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBlocksByNumber","params":["0"]}
<< {"jsonrpc":"2.0","id":2,"result":[{"hash":"0x8e0f7858676ae429b05243c1fa2e0638b87fca176c4e80b9ee88db6cd87777ed","totalDifficulty":"0x1","inMainChain":true}]}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBlocksByNumber","params":["0x7"]}
<< {"jsonrpc":"2.0","id":3,"result":[]}
