// Calls run one after another, bundles in one block after another; the chain does not change.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x2dc6c0","data":"0x61001280600c6000396000f36000546001018060005560005260206000f3"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7f0c2e62c8851ac3617c3d2761c092ba948e7c0e46201c87fe007ca4daacd62d"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_callMany","params":[[{"transactions":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3"},{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3"},{"data":"0x60006000fd"},{"data":"0xfe"}]},{"transactions":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3"},{"data":"0x4360005260206000f3"}],"blockOverride":{"number":"0x64"}},{"transactions":[{"data":"0x4360005260206000f3"}]}]]}
<< {"jsonrpc":"2.0","id":2,"result":[[{"value":"0x0000000000000000000000000000000000000000000000000000000000000001"},{"value":"0x0000000000000000000000000000000000000000000000000000000000000002"},{"error":"execution reverted"},{"error":"invalid opcode"}],[{"value":"0x0000000000000000000000000000000000000000000000000000000000000003"},{"value":"0x0000000000000000000000000000000000000000000000000000000000000064"}],[{"value":"0x0000000000000000000000000000000000000000000000000000000000000065"}]]}
>> {"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3"},"latest"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0000000000000000000000000000000000000000000000000000000000000001"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_callMany","params":[[{"transactions":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3"}]}],"latest",{"0x5fbdb2315678afecb367f032d93f642f64180aa3":{"stateDiff":{"0x0000000000000000000000000000000000000000000000000000000000000000":"0x0000000000000000000000000000000000000000000000000000000000000009"}}}]}
<< {"jsonrpc":"2.0","id":4,"result":[[{"value":"0x000000000000000000000000000000000000000000000000000000000000000a"}]]}
>> {"jsonrpc":"2.0","id":5,"method":"eth_callMany","params":[[{"transactions":[{"to":"0x5fbdb2315678afecb367f032d93f642f64180aa3"}]}],{"blockNumber":"0x1","transactionIndex":0}]}
<< {"jsonrpc":"2.0","id":5,"result":[[{"value":"0x"}]]}
>> {"jsonrpc":"2.0","id":6,"method":"eth_callMany","params":[[]]}
<< {"jsonrpc":"2.0","id":6,"result":[]}
