// A slot is 32 bytes, zero if never written.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x2dc6c0","data":"0x61000780600c6000396000f360003560005500"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x14dcfce1a6907e64f2ed6b752e69b41e73abd943822d7f503e32ec6f7a1a6952"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x5fbdb2315678afecb367f032d93f642f64180aa3","data":"0x0000000000000000000000000000000000000000000000000000000000000007"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0xfa3b51a29e53211c305368a5dbbcfa482dde0c7db0b23529db0ce11f09114a1d"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getStorageAt","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","0x0","latest"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0000000000000000000000000000000000000000000000000000000000000007"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getStorageAt","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","0x0000000000000000000000000000000000000000000000000000000000000000","0x1"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x0000000000000000000000000000000000000000000000000000000000000000"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getStorageAt","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","0x1","latest"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x0000000000000000000000000000000000000000000000000000000000000000"}
