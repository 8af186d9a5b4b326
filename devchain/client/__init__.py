"""JSON-RPC clients: over HTTP, in the same process, and as a web3.py provider."""

from devchain.client.http import Client, HttpClient, LocalClient, connect

__all__ = ["Client", "HttpClient", "LocalClient", "connect"]
