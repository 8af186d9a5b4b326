// Missing, surplus and mistyped parameters are refused by name.
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setERC20Allowance","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"anvil_setERC20Allowance takes (owner, spender, token, amount): got 0 arguments"}}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_setERC20Allowance","params":[1.5,"0x0","0x0","0x0"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"argument owner: want DATA such as 0x12ab, got a fraction"}}
>> {"jsonrpc":"2.0","id":3,"method":"anvil_setERC20Allowance","params":["0x0","0x0","0x0","0x0","0x0"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"anvil_setERC20Allowance takes (owner, spender, token, amount): got 5 arguments"}}
