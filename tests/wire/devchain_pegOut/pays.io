// The federation pays the key of the account, less its fee.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_pegIn","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",150000000]}
<< {"jsonrpc":"2.0","id":1,"result":{"txid":"68e895749bfbb4f3dff3750f8d895889cc86c6f67abb5d3a9015ecae21489cc5","transactionHash":"0xed6290b27d1861868a39aa9fc28ea99022f32e57e54094da7954167bdf2f253e"}}
>> {"jsonrpc":"2.0","id":2,"method":"devchain_pegOut","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",100000000]}
<< {"jsonrpc":"2.0","id":2,"result":{"txid":"6ed8080728f1d3d7a47d7c30e49877c37d3f3030b25e245fd201fbb8dc3aadbf","satoshis":"0x5f54fb0","transactionHash":"0x52cd0bbaf647898b856a2107f54e834d3d592fd20ffb26487587bf7e0a9bfe57"}}
