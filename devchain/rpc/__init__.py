"""JSON-RPC: the methods by chapter, and what turns requests into calls and results into responses.

Here belong wire names, decoding and encoding (only this package knows hex strings and JSON), error
codes, and the documents made from the methods (OpenRPC, `docs/rpc.md`). Rules of the chain do not:
a method is a few lines over the node's components. Transports are in `server`, clients in `client`.

Public entry: `dispatch.Dispatcher`, from request bytes to response bytes. `catalog.METHODS` lists
all methods, `method.rpc` marks a function as one.
"""
