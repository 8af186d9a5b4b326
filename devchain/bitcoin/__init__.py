"""Bitcoin beside the Rootstock chain: regtest blocks, mempool, wallets, bitcoind's JSON-RPC.

It is imported by the first use of `node.bitcoin`, since btclib takes time to load.
"""
