// An empty batch is refused, one of notifications is not answered.
>> []
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the batch is empty"}}
>> [{"method":"evm_mine"}]
<<
