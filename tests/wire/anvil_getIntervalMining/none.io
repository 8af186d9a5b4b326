// Null without mining by interval.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_getIntervalMining","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":null}
