// The interval is in milliseconds or a range of them; automatic mining continues.
>> {"jsonrpc":"2.0","id":1,"method":"evm_setIntervalMining","params":[2500]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_getIntervalMining","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":3}
>> {"jsonrpc":"2.0","id":3,"method":"evm_setIntervalMining","params":[[1000,3000]]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_getIntervalMining","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":2}
>> {"jsonrpc":"2.0","id":5,"method":"hardhat_getAutomine","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":true}
>> {"jsonrpc":"2.0","id":6,"method":"evm_setIntervalMining","params":[0]}
<< {"jsonrpc":"2.0","id":6,"result":true}
>> {"jsonrpc":"2.0","id":7,"method":"anvil_getIntervalMining","params":[]}
<< {"jsonrpc":"2.0","id":7,"result":null}
