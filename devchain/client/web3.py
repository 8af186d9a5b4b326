"""web3.py on a node in this process: no socket, no JSON text. Needs `devchain[web3]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from web3.providers.async_base import AsyncJSONBaseProvider
from web3.providers.base import JSONBaseProvider

from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher

__all__ = ["AsyncNodeProvider", "NodeProvider", "async_provider", "provider"]

REVERTED = -32015
WEB3_REVERTED = 3


def provider(node: Node) -> NodeProvider:
    """A web3.py provider over a node: `Web3(devchain.web3.provider(node))`.

    Answers are those of the HTTP door. A revert has the code 3 unless `revert_code` says
    otherwise: web3.py knows no other, and would keep the payload without its text.
    """
    return NodeProvider(node)


def async_provider(node: Node) -> AsyncNodeProvider:
    """As `provider`, for `AsyncWeb3`; calls run at once, in the event loop's thread."""
    return AsyncNodeProvider(node)


class _Answers:
    """Turns web3.py's requests into calls of a dispatcher."""

    def __init__(self, node: Node) -> None:
        self._dispatcher = Dispatcher(node)
        self._revert_code = node.config.revert_code or WEB3_REVERTED
        self._ids = count(1)

    def __call__(self, method: str, params: object) -> Any:
        """The answer to one request."""
        request = {"jsonrpc": "2.0", "id": next(self._ids), "method": method}
        reply = self._dispatcher.answer(request | {"params": _plain(params)})
        error = reply.get("error") if reply else None
        if error and error["code"] == REVERTED and error["message"].find("reverted") >= 0:
            error["code"] = self._revert_code
        return reply


class NodeProvider(JSONBaseProvider):
    """web3.py's way to a node in this process."""

    def __init__(self, node: Node, **options: Any) -> None:
        """Speak to that node; `options` are those of every web3.py provider."""
        super().__init__(**options)
        self.node = node
        self._answer = _Answers(node)

    def make_request(self, method: Any, params: Any) -> Any:
        """The answer to one request."""
        return self._answer(method, params)

    def make_batch_request(self, requests: Sequence[tuple[Any, Any]]) -> Any:
        """The answers to several, in order."""
        return [self._answer(method, params) for method, params in requests]

    def is_connected(self, show_traceback: bool = False) -> bool:  # noqa: FBT001, FBT002  # web3.py's
        """Always: there is nothing in between."""
        del show_traceback
        return True


class AsyncNodeProvider(AsyncJSONBaseProvider):
    """The same for `AsyncWeb3`."""

    def __init__(self, node: Node, **options: Any) -> None:
        """Speak to that node; `options` are those of every web3.py provider."""
        super().__init__(**options)
        self.node = node
        self._answer = _Answers(node)

    async def make_request(self, method: Any, params: Any) -> Any:
        """The answer to one request."""
        return self._answer(method, params)

    async def make_batch_request(self, requests: Sequence[tuple[Any, Any]]) -> Any:
        """The answers to several, in order."""
        return [self._answer(method, params) for method, params in requests]

    async def is_connected(self, show_traceback: bool = False) -> bool:  # noqa: FBT001, FBT002  # web3.py's
        """Always: there is nothing in between."""
        del show_traceback
        return True

    async def disconnect(self) -> None:
        """Nothing is open; for programs that end every connection they began."""


def _plain(value: object) -> Any:
    """Parameters as parsed JSON would have them: web3.py's own mappings and bytes made plain."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, bytes | bytearray):
        return "0x" + value.hex()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
