// A contract has code, another account none.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x2dc6c0","data":"0x61000780600c6000396000f360003560005500"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x14dcfce1a6907e64f2ed6b752e69b41e73abd943822d7f503e32ec6f7a1a6952"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getCode","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","latest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x60003560005500"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getCode","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","latest"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getCode","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","0x0"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x"}
