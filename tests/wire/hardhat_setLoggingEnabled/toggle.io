// The activity log is turned off.
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setLoggingEnabled","params":[false]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_setLoggingEnabled","params":[true]}
<< {"jsonrpc":"2.0","id":2,"result":true}
