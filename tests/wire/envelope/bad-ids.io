// Other ids are refused.
>> {"jsonrpc":"2.0","id":true,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id must be a number, a string or null"}}
>> {"jsonrpc":"2.0","id":[],"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id must be a number, a string or null"}}
>> {"jsonrpc":"2.0","id":{},"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id must be a number, a string or null"}}
