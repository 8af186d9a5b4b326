"""The debugger on the terminal: steps through an execution that a node has traced.

`rpc_trace` asks a node for the steps, over JSON-RPC alone, so that any node that offers
`debug_traceTransaction` will do; `app` is the program for terminals. What there is to see, and how
one moves, is in `devchain.stepping`.
"""
