// An object or its JSON text; what cannot be encoded is refused.
>> {"jsonrpc":"2.0","id":1,"method":"eth_signTypedData_v4","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{"types":{"EIP712Domain":[{"name":"name","type":"string"}],"Mail":[{"name":"contents","type":"string"}]},"primaryType":"Mail","domain":{"name":"Post"},"message":{"contents":"Hello"}}]}
<< {"jsonrpc":"2.0","id":1,"result":"0xf641db3e92468fcf128d3e96d42401ca85167779437ecdc03399a24c78ff198c7dd6eb3449603ebe052aec6ff090f31c241587e0b1b6cae8cf1409620c5faed11b"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_signTypedData","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","{\"types\": {\"EIP712Domain\": [{\"name\": \"name\", \"type\": \"string\"}], \"Mail\": [{\"name\": \"contents\", \"type\": \"string\"}]}, \"primaryType\": \"Mail\", \"domain\": {\"name\": \"Post\"}, \"message\": {\"contents\": \"Hello\"}}"]}
<< {"jsonrpc":"2.0","id":2,"result":"0xf641db3e92468fcf128d3e96d42401ca85167779437ecdc03399a24c78ff198c7dd6eb3449603ebe052aec6ff090f31c241587e0b1b6cae8cf1409620c5faed11b"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_signTypedData_v4","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{"types":{}}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"typed data cannot be encoded: KeyError: 'domain'"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_signTypedData_v4","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","{"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument typed: want typed data as an object or as JSON: the body is not valid JSON: unexpected end of data: line 1 column 2 (char 1)"}}
>> {"jsonrpc":"2.0","id":5,"method":"eth_signTypedData_v4","params":["0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d",{"types":{"EIP712Domain":[{"name":"name","type":"string"}],"Mail":[{"name":"contents","type":"string"}]},"primaryType":"Mail","domain":{"name":"Post"},"message":{"contents":"Hello"}}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32000,"message":"no key is held for account 0x0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d0b0d"}}
