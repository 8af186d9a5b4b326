"""`rpc_` methods: the service about itself."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc


@rpc("rpc_modules")
def modules(node: Node) -> dict[str, str]:
    """The namespaces that are on, each with its version."""
    # The catalog is made from this module, so it can only be asked once it exists.
    from devchain.rpc.offer import Offer  # noqa: PLC0415

    return dict.fromkeys(Offer(node.config).namespaces(), "1.0")
