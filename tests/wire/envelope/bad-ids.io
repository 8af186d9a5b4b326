// Other ids are refused.
>> {"jsonrpc":"2.0","id":true,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id must be a number of at most 64 bits, a string or null"}}
>> {"jsonrpc":"2.0","id":[],"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id must be a number of at most 64 bits, a string or null"}}
>> {"jsonrpc":"2.0","id":{},"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id must be a number of at most 64 bits, a string or null"}}
>> {"jsonrpc":"2.0","id":18446744073709551616,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id must be a number of at most 64 bits, a string or null"}}
