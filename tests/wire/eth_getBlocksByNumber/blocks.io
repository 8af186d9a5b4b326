// One block of a height, none above the head; the height may be decimal.
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlocksByNumber","params":["0x0"]}
<< {"jsonrpc":"2.0","id":1,"result":[{"hash":"0x438ba82a17adfa4d47d84aa8e24c175f996ad48d96b899763346961b7afa6be2","totalDifficulty":"0x1","inMainChain":true}]}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBlocksByNumber","params":["0"]}
<< {"jsonrpc":"2.0","id":2,"result":[{"hash":"0x438ba82a17adfa4d47d84aa8e24c175f996ad48d96b899763346961b7afa6be2","totalDifficulty":"0x1","inMainChain":true}]}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBlocksByNumber","params":["0x7"]}
<< {"jsonrpc":"2.0","id":3,"result":[]}
