"""The JSON-RPC methods, one module per chapter of `catalog.CHAPTERS`.

A method is a function marked `@rpc("wire_name")`: its first parameter is the node, its type hints
say how parameters are decoded and the result is documented, its docstring is its documentation in
`docs/rpc.md` and `rpc.discover`. Shapes of results are in `rpc.objects` and `rpc.trace_objects`;
what needs several components of the node is a method of `Node`.
"""
