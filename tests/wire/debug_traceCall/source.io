// `sourceTracer` has why a call fails; null for one that succeeds.
>> {"jsonrpc":"2.0","id":1,"method":"debug_traceCall","params":[{"to":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"},"latest",{"tracer":"sourceTracer"}]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":2,"method":"debug_traceCall","params":[{"to":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x186a0"},"latest",{"tracer":"sourceTracer","stateOverrides":{"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266":{"code":"0x60006000fd"}}}]}
<< {"jsonrpc":"2.0","id":2,"result":{"reason":"execution reverted","hint":null,"frames":[{"contract":"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266","function":null,"kind":null,"arguments":null,"path":null,"line":null,"column":null,"endLine":null,"endColumn":null,"confidence":"unknown","note":null,"values":[]}],"text":["execution reverted","  at 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"]}}
