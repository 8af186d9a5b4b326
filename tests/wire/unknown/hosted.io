// The hosted service offers the first table of the specification alone.
// with {"hosted": true, "api_key": ["key"]}
>> {"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the hosted service does not offer evm_mine: start without --hosted to use it"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getProof","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",[],"latest"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"the hosted service does not offer eth_getProof: start without --hosted to use it"}}
