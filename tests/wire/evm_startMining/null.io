// The result is null.
>> {"jsonrpc":"2.0","id":1,"method":"evm_startMining","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":null}
