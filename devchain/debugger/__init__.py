"""The debugger: steps through an execution that a node has traced, forward and backward.

`trace` asks a node for the steps, `execution` finds messages, memory, internal functions and source
lines in them, `stepping` moves between them, `views` shows the state at one; `app` is the program
for terminals. A node is asked over JSON-RPC alone, so that any with `debug_traceTransaction` will
do. Nothing here changes its chain.
"""
