"""The explorer: pages that show a node's chain, at `/explorer`.

`routes` answers requests, `pages` says which page a path names, the modules of views make typed
values of what the node knows, and the templates lay them out. What is here reads the node through
its Python functions and changes it through its JSON-RPC methods; it holds nothing of the chain.
It is imported when the first page is asked for.
"""
