"""`rpc_modules` and `rpc.discover`: the namespaces and methods of this node."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from devchain.config import Config
from devchain.node import Node, version
from devchain.rpc.json_codec import Encoded, encode
from devchain.rpc.method import rpc


@rpc("rpc_modules")
def modules(node: Node) -> dict[str, str]:
    """The namespaces with enabled methods, each with its version."""
    # Imported here because the catalog, which this needs, imports this module.
    from devchain.rpc.enabled_methods import EnabledMethods  # noqa: PLC0415

    return dict.fromkeys(EnabledMethods(node.config).namespaces(), "1.0")


@rpc("rpc.discover", slow=True)
def discover(node: Node) -> dict[str, Any]:
    """The enabled methods as an OpenRPC document, with JSON schemas of parameters and results.

    Tools generate clients, forms and mocks from it. See service discovery in the OpenRPC
    specification.
    """
    return _document(node.config)


@lru_cache(maxsize=8)
def _document(config: Config) -> Encoded:
    from devchain.rpc.enabled_methods import EnabledMethods  # noqa: PLC0415
    from devchain.rpc.openrpc import document  # noqa: PLC0415

    return Encoded(encode(document(EnabledMethods(config), version())))
