// Compilers, Whisper and the database are refused with a reason.
>> {"jsonrpc":"2.0","id":1,"method":"eth_compileSolidity","params":["contract C {}"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"eth_compileSolidity is not supported: the node has no compilers, for security: compile with solc or vyper and send bytecode"}}
>> {"jsonrpc":"2.0","id":2,"method":"shh_version","params":[]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"shh_version is not supported: Whisper is not part of Rootstock: use a messaging service of your own"}}
>> {"jsonrpc":"2.0","id":3,"method":"db_putString","params":["a","b","c"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"db_putString is not supported: the node keeps no key-value store for clients: use a file or a database of your own"}}
