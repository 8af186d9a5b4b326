// The chain's time, with what evm_increaseTime adds; it takes no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_getTime","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x6553f100"}
>> {"jsonrpc":"2.0","id":2,"method":"evm_increaseTime","params":["0x3c"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x3c"}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_getTime"}
<< {"jsonrpc":"2.0","id":3,"result":"0x6553f13c"}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_getTime","params":["0x1"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"devchain_getTime takes no arguments: got 1 argument"}}
