// It takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_removeBlockTimestampInterval","params":[true]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"anvil_removeBlockTimestampInterval takes no arguments: got 1 argument"}}
