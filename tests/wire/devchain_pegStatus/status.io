// A federation of three, whose Bridge has learned of all Bitcoin blocks.
// with {"network": "local"}
>> {"jsonrpc":"2.0","id":1,"method":"devchain_pegStatus","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"federations":[{"address":"2N5muMepJizJE1gR7FbHJU6CD18V3BpNF9p","members":"0x3","threshold":"0x2","satoshis":"0x0"}],"bitcoinHeight":"0x6e","bridgeHeight":"0x0","nextPegoutBlock":"0x0","requests":[],"confirming":[],"signing":[],"sent":[]}}
>> {"jsonrpc":"2.0","id":2,"method":"fed_updateBridge","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":null}
>> {"jsonrpc":"2.0","id":3,"method":"devchain_pegStatus","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":{"federations":[{"address":"2N5muMepJizJE1gR7FbHJU6CD18V3BpNF9p","members":"0x3","threshold":"0x2","satoshis":"0x0"}],"bitcoinHeight":"0x6e","bridgeHeight":"0x6e","nextPegoutBlock":"0x33","requests":[],"confirming":[],"signing":[],"sent":[]}}
