// A chain of its own is no fork.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_getFork","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":null}
