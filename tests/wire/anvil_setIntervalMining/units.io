// The interval is in seconds and replaces automatic mining.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setIntervalMining","params":[5]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_getIntervalMining","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":5}
>> {"jsonrpc":"2.0","id":3,"method":"anvil_getAutomine","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":false}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_setIntervalMining","params":[0]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"anvil_getIntervalMining","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":null}
>> {"jsonrpc":"2.0","id":6,"method":"anvil_setIntervalMining","params":["0xffffffffff"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"an interval of 1099511627775 seconds is too long: give at most 10^9"}}
