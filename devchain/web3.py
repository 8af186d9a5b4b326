"""The web3.py providers of `devchain.client.web3`, under the name that programs import."""

from devchain.client.web3 import AsyncNodeProvider, NodeProvider, async_provider, provider

__all__ = ["AsyncNodeProvider", "NodeProvider", "async_provider", "provider"]
