"""Golden exchanges: JSON-RPC requests and the exact responses of a fresh node, one file per case.

A file starts with `//` lines: the fact it shows and, if the node needs options,
`// with {"mining": false}`. Requests, `>>`, and responses, `<<`, follow in order; the response to a
notification is empty. `{{2.hash}}` in a request is replaced by a member of the second response's
result, here a block hash, so that requests need not change with the rules.

`python -m tests.wire [METHOD…]` sends the requests and rewrites the responses: read the
difference before you commit it.
"""
