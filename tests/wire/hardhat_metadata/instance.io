// The metadata of the node; a reset changes its instance id.
>> {"jsonrpc":"2.0","id":1,"method":"evm_snapshot","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_metadata","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":{"clientVersion":"devchain/golden","chainId":31,"instanceId":"0x0511906d9e9a36c9a24b54ca86e835abdb5b45bd2d3e93703136fc213f447ffb","latestBlockNumber":0,"latestBlockHash":"0x8e0f7858676ae429b05243c1fa2e0638b87fca176c4e80b9ee88db6cd87777ed","snapshots":{"0x1":[0,"0x8e0f7858676ae429b05243c1fa2e0638b87fca176c4e80b9ee88db6cd87777ed"]}}}
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_reset","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_metadata","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":{"clientVersion":"devchain/golden","chainId":31,"instanceId":"0xa4b47be5bffe4d7e16396050db09f2f36b8d879f2b62723775d24d280d774138","latestBlockNumber":0,"latestBlockHash":"0x8e0f7858676ae429b05243c1fa2e0638b87fca176c4e80b9ee88db6cd87777ed","snapshots":{}}}
