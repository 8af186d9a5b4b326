"""JSON-RPC clients: over HTTP, in the same process, and as a web3.py provider.

Here belongs what the command line, tests and scripts use to call a node. `http` imports no part of
the node and loads quickly; `web3` needs `devchain[web3]`. Answering calls does not belong here. The
entry is `connect`.
"""

from devchain.client.http import Client, HttpClient, LocalClient, connect

__all__ = ["Client", "HttpClient", "LocalClient", "connect"]
