"""Stepping through an execution that was traced, forward and backward, without its memory.

`trace` are the steps, `messages` and `execution` find messages, memory, internal functions and
source lines in them, `failures` where it failed; `movements` moves between the steps, and `views`
is the state at one. `recording` traces a transaction of a chain. The debugger on the terminal asks
a node for the same over JSON-RPC, and the explorer shows it in pages. Nothing here changes a chain.
"""
