"""`rpc_` methods: the service about itself."""

from __future__ import annotations

from typing import Any

from devchain.node import Node, version
from devchain.rpc.method import rpc


@rpc("rpc_modules")
def modules(node: Node) -> dict[str, str]:
    """The namespaces that are on, each with its version."""
    # The catalog is made from this module, so it can only be asked once it exists.
    from devchain.rpc.enabled_methods import EnabledMethods  # noqa: PLC0415

    return dict.fromkeys(EnabledMethods(node.config).namespaces(), "1.0")


@rpc("rpc.discover")
def discover(node: Node) -> dict[str, Any]:
    """The methods that are on as an OpenRPC document: what goes in and out as JSON schemas.

    Tools make clients, forms and mocks of it. See the OpenRPC specification, service discovery.
    """
    from devchain.rpc.enabled_methods import EnabledMethods  # noqa: PLC0415
    from devchain.rpc.openrpc import document  # noqa: PLC0415

    return document(EnabledMethods(node.config), version())
