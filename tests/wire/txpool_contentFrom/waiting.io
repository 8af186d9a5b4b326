// The transactions of one account, by nonce; another has none.
// with {"mining": false}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x6d104c437eda531bdb9705a2fec4f8e1161072ca50de60022387f800836934f3"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208","nonce":"0x5"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x4e56bd41f11f5837dcf3e47d2ba50403b2d7648fdde2d9a844a32ccef5a086b1"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"from":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","to":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x5208"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0xc730b5d260823ee9473b45dc24138b3a05869947e4cc0706f3606bdddc101e6b"}
>> {"jsonrpc":"2.0","id":4,"method":"txpool_contentFrom","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":4,"result":{"pending":{"0":{"hash":"0x6d104c437eda531bdb9705a2fec4f8e1161072ca50de60022387f800836934f3","nonce":"0x0","blockHash":"0x0000000000000000000000000000000000000000000000000000000000000000","blockNumber":null,"transactionIndex":null,"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208","gasPrice":"0x0","value":"0x0","input":"0x","v":"0x62","r":"0x65f32c01b5fb3ddbda04a806afe17d29fb58f0d320bdc2aab840a4cc6027e330","s":"0x3d209dad8057a1b23bb53dd8d242644848342665e9a8baa792e91b3682b503cd","type":"0x0"}},"queued":{"5":{"hash":"0x4e56bd41f11f5837dcf3e47d2ba50403b2d7648fdde2d9a844a32ccef5a086b1","nonce":"0x5","blockHash":"0x0000000000000000000000000000000000000000000000000000000000000000","blockNumber":null,"transactionIndex":null,"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208","gasPrice":"0x0","value":"0x0","input":"0x","v":"0x61","r":"0x76796a455ff0d0510a83b21b055e788a354656ca4bb359bd4e96fad71e5a1033","s":"0x554cbbb13961e9d6d65c998ba3bcccadf152f15f90776733f24fe842cdb6692c","type":"0x0"}}}}
>> {"jsonrpc":"2.0","id":5,"method":"txpool_contentFrom","params":["0x7070707070707070707070707070707070707070"]}
<< {"jsonrpc":"2.0","id":5,"result":{"pending":{},"queued":{}}}
>> {"jsonrpc":"2.0","id":6,"method":"txpool_contentFrom","params":["0x12"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"argument address: want 20 bytes, got 1"}}
