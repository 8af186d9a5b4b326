"""The live chain that a chain was forked from: its node, and the cache of what it has answered.

`fork_cache` is what the packages above use: answers that cannot change, in memory, in a file
(`fork_cache_file`) and from the node, which `client` asks over HTTP (`exchange` and `http` have
what it shares with the JSON-RPC client), and what a call needs next. `queries` has what can be
asked and checks what is answered. What the answers mean (accounts, blocks, receipts) belongs to
`state` and `chain`.
"""
