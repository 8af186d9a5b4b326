"""The live chain that a chain was forked from: its node, and what is known of it.

`facts` is what the packages above use: answers that cannot change, in memory, in a file and from
the node. `client` asks the node over HTTP, `values` checks and reads what it answers. What the
answers mean (accounts, blocks, receipts) belongs to `state` and `chain`.
"""
