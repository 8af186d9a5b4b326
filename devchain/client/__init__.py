"""JSON-RPC clients: over HTTP, in the same process, and as a web3.py provider.

Here belongs what programs call a node with: the command line, tests, scripts. `http` needs nothing
of a node and imports quickly; `web3` needs `devchain[web3]`. What answers calls does not belong
here. The entry is `connect`.
"""

from devchain.client.http import Client, HttpClient, LocalClient, connect

__all__ = ["Client", "HttpClient", "LocalClient", "connect"]
