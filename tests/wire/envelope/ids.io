// An id that is a number, a string or null is returned unchanged.
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":1,"result":"0x1f"}
>> {"jsonrpc":"2.0","id":-1,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":-1,"result":"0x1f"}
>> {"jsonrpc":"2.0","id":1.5,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":1.5,"result":"0x1f"}
>> {"jsonrpc":"2.0","id":18446744073709551615,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":18446744073709551615,"result":"0x1f"}
>> {"jsonrpc":"2.0","id":"one","method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":"one","result":"0x1f"}
>> {"jsonrpc":"2.0","id":"","method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":"","result":"0x1f"}
>> {"jsonrpc":"2.0","id":null,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":null,"result":"0x1f"}
