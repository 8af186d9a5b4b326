// A call is traced without being sent, with state overrides.
>> {"jsonrpc":"2.0","id":1,"method":"debug_traceCall","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x186a0"},"latest",{"tracer":"callTracer","stateOverrides":{"0x70997970c51812dc3a010c7d01b50e0d17dc79c8":{"code":"0x6000546001018060005560005260206000f3"}}}]}
<< {"jsonrpc":"2.0","id":1,"result":{"from":"0x0000000000000000000000000000000000000000","gas":"0x186a0","gasUsed":"0xa10e","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","input":"0x","output":"0x0000000000000000000000000000000000000000000000000000000000000001","value":"0x0","type":"CALL"}}
>> {"jsonrpc":"2.0","id":2,"method":"debug_traceCall","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x186a0"}]}
<< {"jsonrpc":"2.0","id":2,"result":{"gas":21000,"failed":false,"returnValue":"0x","structLogs":[]}}
