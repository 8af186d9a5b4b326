// Opcodes, unknown types and impossible calls are refused.
>> {"jsonrpc":"2.0","id":1,"method":"trace_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},["vmTrace"]]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"vmTrace is not supported: debug_traceTransaction has every opcode"}}
>> {"jsonrpc":"2.0","id":2,"method":"trace_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},["steps"]]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"unknown trace type 'steps'; want trace or stateDiff"}}
>> {"jsonrpc":"2.0","id":3,"method":"trace_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"trace"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"argument trace_types: want an array, got text"}}
>> {"jsonrpc":"2.0","id":4,"method":"trace_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"trace_call takes (request, trace_types, block?): got 1 argument"}}
>> {"jsonrpc":"2.0","id":5,"method":"trace_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x1"},["trace"]]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32015,"message":"VM Exception while processing transaction: intrinsic gas too low: have 1, want 21000","data":"0x"}}
>> {"jsonrpc":"2.0","id":6,"method":"trace_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},["trace"],"0x63"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32000,"message":"header not found: there is no block 99; the newest block is 0"}}
