// A request without an id is executed and not answered.
>> {"jsonrpc":"2.0","method":"evm_mine"}
<<
>> {"jsonrpc":"2.0","method":"no_method"}
<<
>> {"jsonrpc":"2.0","id":3,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x1"}
