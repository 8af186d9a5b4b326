"""The explorer: pages that show a node's chain, at `/explorer`.

`routes` answers requests, functions of the other modules make typed values of what the node knows,
and the templates lay them out. The explorer reads the node through its Python functions and changes
it through its JSON-RPC methods. It is imported when the first page is asked for.
"""
