// The federation pays the key of the account, less its fee.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_pegIn","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",150000000]}
<< {"jsonrpc":"2.0","id":1,"result":{"txid":"cd7f6e997ef77c9894bf5213732686d6fb1f1176a7d3d4bcef7a1b0f7e687b5e","transactionHash":"0x51fef228d2d0047568c1815e9921d2e8335fa653c5a33df3d66dbba77eb59f1f"}}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_pegOut","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",100000000]}
<< {"jsonrpc":"2.0","id":2,"result":{"txid":"77b19f9c528afa3d7860ca3084f9260e2c87b1041fa2cfe3106e816d2dcf2cd0","satoshis":"0x5f54fb0","transactionHash":"0x52cd0bbaf647898b856a2107f54e834d3d592fd20ffb26487587bf7e0a9bfe57"}}
