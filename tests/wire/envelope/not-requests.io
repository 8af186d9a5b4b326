// JSON that is not a request is refused.
>> 1
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a request is an object with jsonrpc, method, params and id"}}
>> null
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a request is an object with jsonrpc, method, params and id"}}
>> "eth_chainId"
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a request is an object with jsonrpc, method, params and id"}}
>> {}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"method must be a string that names a method"}}
>> {"id":1}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"method must be a string that names a method"}}
>> {"id":1,"method":1}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"method must be a string that names a method"}}
>> {"jsonrpc":"1.0","id":1,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"jsonrpc must be \"2.0\""}}
