// It takes one parameter, for clients of anvil.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_dumpState","params":[true,1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"anvil_dumpState takes (preserve_historical_states?): got 2 arguments"}}
