// With `--revert-on-send` a revert is an error, though the transaction is mined.
// with {"revert_on_send": true}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","data":"0x60006000fd"}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32015,"message":"VM Exception while processing transaction: execution reverted","data":{"message":"VM Exception while processing transaction: execution reverted","txHash":"0x1517e67fbe6b9cfbcc6ab6984616447443a2b65f1e0ececd6158bc6f2cbf0478","data":"0x"}}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x1"}
