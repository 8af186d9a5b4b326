// There are no parameters.
>> {"jsonrpc":"2.0","id":1,"method":"ots_getApiLevel","params":[1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"ots_getApiLevel takes no arguments: got 1 argument"}}
