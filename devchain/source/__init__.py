"""Where in the source: the location of code, of a failure, of gas and of the steps of an execution.

`explain` says where and `hints` why an execution failed, from the path that `devchain.tracing` has
recorded and the locations of `devchain.contracts.code_map`. `follow` follows the steps of a
`trace`, for debuggers;
`steps` moves between them. Nothing here changes a chain, and precision that the source map and the
sources do not give is not inferred.
"""
