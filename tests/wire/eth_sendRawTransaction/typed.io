// Typed transactions are refused with the name of their type.
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x01c0"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32010,"message":"transaction type 1 (EIP-2930 access list) is not supported: use a legacy transaction, type 0 (--legacy in cast, forge), or try --hardfork next"}}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendRawTransaction","params":["0x02f8621f8080018252089470997970c51812dc3a010c7d01b50e0d17dc79c80180c001a0fbd34b7b91eb02167ce0c8d90e12df5d3855e035e377125eb783b620364c567ca009435337dd6bc8dc9712ce19c2e43b9215b0fffd7dccd9f2a217fb4df172cf30"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32010,"message":"transaction type 2 (EIP-1559 dynamic fee) is not supported: use a legacy transaction, type 0 (--legacy in cast, forge), or try --hardfork next"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendRawTransaction","params":["0x03c0"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32010,"message":"transaction type 3 (EIP-4844 blob) is not supported: use a legacy transaction, type 0 (--legacy in cast, forge)"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendRawTransaction","params":["0x04c0"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32010,"message":"transaction type 4 (EIP-7702 set code) is not supported: use a legacy transaction, type 0 (--legacy in cast, forge), or try --hardfork next"}}
