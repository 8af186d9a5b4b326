"""`devchain.web3`: where programs import the web3.py providers of `devchain.client.web3` from."""

from devchain.client.web3 import AsyncNodeProvider, NodeProvider, async_provider, provider

__all__ = ["AsyncNodeProvider", "NodeProvider", "async_provider", "provider"]
