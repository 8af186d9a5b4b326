"""Bitcoin beside the Rootstock chain: regtest blocks, mempool, wallets, bitcoind's JSON-RPC.

Only this package imports btclib. It is imported by the first use of `node.bitcoin`.
"""
