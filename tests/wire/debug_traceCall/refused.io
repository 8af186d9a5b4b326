// An unknown block, invalid block overrides and too little gas are errors.
>> {"jsonrpc":"2.0","id":1,"method":"debug_traceCall","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"0x9"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found: there is no block 9; the newest block is 0"}}
>> {"jsonrpc":"2.0","id":2,"method":"debug_traceCall","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest",{"blockOverrides":{"height":"0x5"}}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument options: blockOverrides: unknown member 'height': known are baseFee, baseFeePerGas, blobBaseFee, blockHash, coinbase, difficulty, feeRecipient, gasLimit, number, prevRandao, random, time"}}
>> {"jsonrpc":"2.0","id":3,"method":"debug_traceCall","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x1"}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32015,"message":"VM Exception while processing transaction: intrinsic gas too low: have 1, want 21000","data":"0x"}}
