"""devchain: a local Rootstock chain for tests and development.

`Node(Config(...))` is a chain in this process, `connect` gives a JSON-RPC client for it or for a
node at a URL, `errors` has the exceptions that they raise. `TransactionRequest` is what `call` and
`estimate` of a node take. `reverts` and `expect_emit` say what a test expects of the calls in a
`with` block. `load` and `loads` compile a contract. `strategies` draws arguments with Hypothesis.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from devchain import errors

if TYPE_CHECKING:
    from devchain import strategies
    from devchain.client.http import connect
    from devchain.config import Config
    from devchain.contracts.compile import load, loads
    from devchain.contracts.expectations import expect_emit, reverts
    from devchain.node import Node
    from devchain.types import TransactionRequest

__all__ = [
    "Config",
    "Node",
    "TransactionRequest",
    "connect",
    "errors",
    "expect_emit",
    "load",
    "loads",
    "reverts",
    "strategies",
]

_MODULES = {
    "Config": "devchain.config",
    "Node": "devchain.node",
    "TransactionRequest": "devchain.types",
    "connect": "devchain.client.http",
    "expect_emit": "devchain.contracts.expectations",
    "load": "devchain.contracts.compile",
    "loads": "devchain.contracts.compile",
    "reverts": "devchain.contracts.expectations",
    "strategies": "devchain.strategies",
}


def __dir__() -> list[str]:
    """The public names."""
    return [*__all__]


def __getattr__(name: str) -> Any:  # noqa: ANN401  # a module's attribute can be of any type
    """Import a name when it is first used: the command line must not load the chain."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = import_module(_MODULES[name])
    return found if name == "strategies" else getattr(found, name)
