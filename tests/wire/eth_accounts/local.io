// On the local network the accounts of the real node follow.
// with {"network": "local", "accounts": 1}
>> {"jsonrpc":"2.0","id":1,"method":"eth_accounts","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826","0x7986b3df570230288501eea3d890bd66948c9b79","0x0a3aa774752ec2042c46548456c094a76c7f3a79","0xcf7cdbbb5f7ba79d3ffe74a0bba13fc0295f6036","0x39b12c05e8503356e3a7df0b7b33efa4c054c409","0xc354d97642faa06781b76ffb6786f72cd7746c97","0xdebe71e1de41fc77c44df4b6db940026e31b0e71","0x7857288e171c6159c5576d1bd9ac40c0c48a771c","0xa4dea4d5c954f5fd9e87f0e9752911e83a3d18b3","0x09a1eda29f664ac8f68106f6567276df0c65d859"]}
