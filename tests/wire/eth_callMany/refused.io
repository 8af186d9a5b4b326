// What is no bundle, and a block that does not exist, are refused.
>> {"jsonrpc":"2.0","id":1,"method":"eth_callMany","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"eth_callMany takes (bundles, block?, overrides?): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_callMany","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument bundles: want an array, got an object"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_callMany","params":[[{"transactions":[{"to":"0x1"}]}]]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"argument bundles: transactions: to: want an even number of hex digits, got 1"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_callMany","params":[[{"calls":[]}]]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument bundles: unknown member 'calls': known are blockOverride, transactions"}}
>> {"jsonrpc":"2.0","id":5,"method":"eth_callMany","params":[[{"transactions":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}],"0x63"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32000,"message":"header not found: there is no block 99; the newest block is 0"}}
