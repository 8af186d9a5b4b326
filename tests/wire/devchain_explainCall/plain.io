// A call that succeeds has no failure; one that cannot begin has no calls.
>> {"jsonrpc":"2.0","id":1,"method":"devchain_explainCall","params":[{"to":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"}]}
<< {"jsonrpc":"2.0","id":1,"result":{"called":null,"failure":null,"callTree":["0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 [21,000 gas]"],"console":[],"consolePlaces":[],"sourceTrace":null}}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_explainCall","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","gas":"0x1"}]}
<< {"jsonrpc":"2.0","id":2,"result":{"called":null,"failure":"intrinsic gas too low: have 1, want 21000","callTree":[],"console":[],"consolePlaces":[],"sourceTrace":null}}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_explainCall","params":[{"to":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"},"0x99"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"header not found: there is no block 153; the newest block is 0"}}
>> {"jsonrpc":"2.0","id":4,"method":"devchain_explainCall","params":[{"to":"0x12"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument request: to: want 20 bytes, got 1"}}
