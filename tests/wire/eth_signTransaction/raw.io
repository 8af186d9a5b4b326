// A transaction is signed, not sent; the result can be sent.
>> {"jsonrpc":"2.0","id":1,"method":"eth_signTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208","gasPrice":"0x1","nonce":"0x0"}]}
<< {"jsonrpc":"2.0","id":1,"result":{"raw":"0xf85f80018252089470997970c51812dc3a010c7d01b50e0d17dc79c8808061a04ae91d833a677169b8e371d27f5b2e5caad1b5083dedeb4d6fd58157a8729b9ea0432b853c756ceb2737a3f9a80493cc002626691dee23ead0ba3bf484498751f3","tx":{"hash":"0xf3703fd8cbf03f3638d4cfa71a4433d335471f2a47cb350303b95db959177337","nonce":"0x0","blockHash":null,"blockNumber":null,"transactionIndex":null,"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208","gasPrice":"0x1","value":"0x0","input":"0x","v":"0x61","r":"0x4ae91d833a677169b8e371d27f5b2e5caad1b5083dedeb4d6fd58157a8729b9e","s":"0x432b853c756ceb2737a3f9a80493cc002626691dee23ead0ba3bf484498751f3","type":"0x0"}}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionCount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendRawTransaction","params":["{{1.raw}}"]}
<< {"jsonrpc":"2.0","id":3,"result":"0xf3703fd8cbf03f3638d4cfa71a4433d335471f2a47cb350303b95db959177337"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_signTransaction","params":[{"from":"0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"no key is held for account 0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"}}
