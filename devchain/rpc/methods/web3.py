"""`web3_` methods: client version and keccak-256."""

from __future__ import annotations

import sys

from eth_utils.crypto import keccak

from devchain.node import Node, version
from devchain.rpc.method import rpc
from devchain.types import Hash32


@rpc("web3_clientVersion", hosted=True)
def client_version(node: Node) -> str:
    """Name and version of this node, its hardfork and its Python version."""
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    default = f"devchain/{version()}/{node.config.hardfork}/{python}"
    return node.config.client_version or default


@rpc("web3_sha3", hosted=True)
def sha3(node: Node, data: bytes) -> Hash32:
    """Keccak-256 of the data (not the standardized SHA3-256)."""
    return Hash32(keccak(data))
