// The metadata of the node; a reset changes its instance id.
>> {"jsonrpc":"2.0","id":1,"method":"evm_snapshot","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_metadata","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":{"clientVersion":"devchain/golden","chainId":31,"instanceId":"0xbbf37bd0da5317d3c2fd3447e400ece4ba4fe554a5c1beaf6ae3e8a8817635e1","latestBlockNumber":0,"latestBlockHash":"0x438ba82a17adfa4d47d84aa8e24c175f996ad48d96b899763346961b7afa6be2","snapshots":{"0x1":[0,"0x438ba82a17adfa4d47d84aa8e24c175f996ad48d96b899763346961b7afa6be2"]}}}
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_reset","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_metadata","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":{"clientVersion":"devchain/golden","chainId":31,"instanceId":"0xb5f901bba04b5d0c76699414ca3c37770933199a6a7a7e11d199c259b1e11764","latestBlockNumber":0,"latestBlockHash":"0x438ba82a17adfa4d47d84aa8e24c175f996ad48d96b899763346961b7afa6be2","snapshots":{}}}
