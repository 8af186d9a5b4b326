// A call without trace types, and one that cannot be executed, are refused.
>> {"jsonrpc":"2.0","id":1,"method":"trace_callMany","params":[[[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]]]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"argument calls: want a pair: a call object and trace types such as [\"trace\"]"}}
>> {"jsonrpc":"2.0","id":2,"method":"trace_callMany","params":[[[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},["trace"]],[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},["vmTrace"]]]]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"vmTrace is not supported: debug_traceTransaction has every opcode"}}
>> {"jsonrpc":"2.0","id":3,"method":"trace_callMany","params":[[[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},["trace"]],[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x1"},["trace"]]]]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32015,"message":"VM Exception while processing transaction: intrinsic gas too low: have 1, want 21000","data":"0x"}}
>> {"jsonrpc":"2.0","id":4,"method":"trace_callMany","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument calls: want an array, got an object"}}
