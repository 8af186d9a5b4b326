"""The JSON-RPC methods, one module per chapter of `catalog.CHAPTERS`.

A method is a function marked `@rpc("wire_name")`: its first parameter is the node, its type hints
decide how parameters are decoded and how the result is documented, its docstring is its
documentation in `docs/rpc.md` and `rpc.discover`. Shapes of results are in `rpc.result_objects` and
`rpc.trace_objects`; an operation on several components of the node is a method of `Node`.
"""
