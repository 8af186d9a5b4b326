// The key is the hash of the seed.
>> {"jsonrpc":"2.0","id":1,"method":"personal_newAccountWithSeed","params":["cow"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826"}
>> {"jsonrpc":"2.0","id":2,"method":"personal_dumpRawKey","params":["{{1}}"]}
<< {"jsonrpc":"2.0","id":2,"result":"0xc85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4"}
