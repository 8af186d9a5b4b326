"""web3.py providers for a node in this process, without socket or JSON text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from web3.providers.async_base import AsyncJSONBaseProvider
from web3.providers.base import JSONBaseProvider

from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher

__all__ = ["AsyncNodeProvider", "NodeProvider", "async_provider", "provider"]

REVERT_CODE = 3
"""geth's error code of a revert, the only one from which web3.py reads the reason."""


def provider(node: Node) -> NodeProvider:
    """A web3.py provider over a node: `Web3(devchain.web3.provider(node))`.

    Answers are the same as over HTTP, but for the code of a revert: it is 3 unless `revert_code` is
    configured, because web3.py reads the reason from no other.
    """
    return NodeProvider(node)


def async_provider(node: Node) -> AsyncNodeProvider:
    """As `provider`, for `AsyncWeb3`; calls run at once, in the event loop's thread."""
    return AsyncNodeProvider(node)


class _RequestHandler:
    """Answers web3.py's requests with a dispatcher."""

    def __init__(self, node: Node) -> None:
        self._dispatcher = Dispatcher(node, revert_code=node.config.revert_code or REVERT_CODE)
        self._ids = count(1)

    def __call__(self, method: str, params: object) -> Any:
        request = {"jsonrpc": "2.0", "id": next(self._ids), "method": method}
        return self._dispatcher.answer(request | {"params": _plain(params)})


class NodeProvider(JSONBaseProvider):
    """A provider for `Web3`."""

    def __init__(self, node: Node, **options: Any) -> None:
        super().__init__(**options)
        self.node = node
        self._handle = _RequestHandler(node)

    def make_request(self, method: Any, params: Any) -> Any:
        """The answer to one request."""
        return self._handle(method, params)

    def make_batch_request(self, requests: Sequence[tuple[Any, Any]]) -> Any:
        """The answers to several requests, in order."""
        return [self._handle(method, params) for method, params in requests]

    def is_connected(self, show_traceback: bool = False) -> bool:  # noqa: FBT001, FBT002  # web3.py's
        """Always: no connection is needed."""
        del show_traceback
        return True


class AsyncNodeProvider(AsyncJSONBaseProvider):
    """A provider for `AsyncWeb3`."""

    def __init__(self, node: Node, **options: Any) -> None:
        super().__init__(**options)
        self.node = node
        self._handle = _RequestHandler(node)

    async def make_request(self, method: Any, params: Any) -> Any:
        """The answer to one request."""
        return self._handle(method, params)

    async def make_batch_request(self, requests: Sequence[tuple[Any, Any]]) -> Any:
        """The answers to several requests, in order."""
        return [self._handle(method, params) for method, params in requests]

    async def is_connected(self, show_traceback: bool = False) -> bool:  # noqa: FBT001, FBT002  # web3.py's
        """Always: no connection is needed."""
        del show_traceback
        return True

    async def disconnect(self) -> None:
        """Nothing to do: no connection is open."""


def _plain(value: object) -> Any:
    """Parameters as parsed JSON has them: dicts for web3.py's mappings, hex for bytes."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, bytes | bytearray):
        return "0x" + value.hex()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
