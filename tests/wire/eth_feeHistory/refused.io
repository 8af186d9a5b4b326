// A count of 0 and percentiles that are not ascending numbers from 0 to 100 are refused.
>> {"jsonrpc":"2.0","id":1,"method":"eth_feeHistory","params":["0x0","latest",[]]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"count 0 is too small: ask for at least one block"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_feeHistory","params":["0x1","latest",[10,5.5]]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"percentiles must be in ascending order: 5.5 follows 10"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_feeHistory","params":["0x1","latest",[-1]]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"argument percentiles: want a JSON number from 0 to 100, got -1"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_feeHistory","params":["0x1","latest",[100.5]]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"argument percentiles: want a JSON number from 0 to 100, got 100.5"}}
