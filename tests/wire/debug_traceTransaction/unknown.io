// An unknown transaction and an unknown tracer are errors.
>> {"jsonrpc":"2.0","id":1,"method":"debug_traceTransaction","params":["0x0000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"transaction not found"}}
>> {"jsonrpc":"2.0","id":2,"method":"debug_traceTransaction","params":["0x0000000000000000000000000000000000000000000000000000000000000000",{"tracer":"muxTracer"}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument options: muxTracer: name its tracers as in {\"tracerConfig\": {\"callTracer\": {}}}"}}
