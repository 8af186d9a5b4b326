// What the node is; a reset makes another instance of it.
>> {"jsonrpc":"2.0","id":1,"method":"evm_snapshot","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_metadata","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":{"clientVersion":"devchain/golden","chainId":31,"instanceId":"0x31e4b7681c8cc379c3826b72c0150dbcca57418c4725129eec2d3dfc30c18d3e","latestBlockNumber":0,"latestBlockHash":"0xeaa3b8e761564d9b4280d2fb1e2cfa3b1ae186a2d124749b35952e81f990af02","snapshots":{"0x1":[0,"0xeaa3b8e761564d9b4280d2fb1e2cfa3b1ae186a2d124749b35952e81f990af02"]}}}
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_reset","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_metadata","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":{"clientVersion":"devchain/golden","chainId":31,"instanceId":"0x225105c7eb57132be086e3cbe51cad0bf1310c48f52ff0afc98d93b81eba23d9","latestBlockNumber":0,"latestBlockHash":"0xeaa3b8e761564d9b4280d2fb1e2cfa3b1ae186a2d124749b35952e81f990af02","snapshots":{}}}
