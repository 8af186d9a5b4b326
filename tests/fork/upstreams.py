"""Forks of nodes of this process, in process or over HTTP."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from devchain.client.http import LocalClient
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.upstream.queries import BLOCK_PARAMETER
from tests.chain.upstream import NodeUpstream
from tests.upstream.server import FakeUpstream, serve

RSKJ = "RskJ/9.0.3/Linux/Java17/VETIVER-1234567"
"""How the real node calls itself."""


def fork_of(node: Node, upstream: Any = None, **options: Any) -> tuple[Node, NodeUpstream]:
    """A fork of that node, and what it asks it through."""
    upstream = upstream or NodeUpstream(node)
    options = {"storage_caching": False, **options}
    with patch("devchain.chain.fork.Upstream", lambda *_, **__: upstream):
        return Node(fork_url=("http://upstream.example",), **options), upstream


class ServedNode(FakeUpstream):
    """A node of this process behind HTTP, whose blocks have numbers that are `shift` higher.

    The numbers that its contracts see stay as they are. Lower ones name no block.
    """

    def __init__(self, node: Node, shift: int = 0) -> None:
        super().__init__()
        self.results = {}
        self.shift = shift
        self._client = LocalClient(node)
        self._turn = threading.Lock()

    def answer(self, call: dict[str, Any]) -> dict[str, Any]:
        """The node's response to one call, unless `results` has another."""
        if call["method"] in self.results:
            return super().answer(call)
        head = {"jsonrpc": "2.0", "id": call["id"]}
        params = self._lowered(call["method"], call["params"])
        if params is None:
            return {**head, "result": None}
        try:
            with self._turn:
                result = self._client.call(call["method"], *params)
        except RpcFailure as failure:
            return {**head, "error": {"code": failure.code, "message": failure.message}}
        if call["method"] == "eth_blockNumber":
            result = hex(int(result, 16) + self.shift)
        return {**head, "result": self._raised(result)}

    def _lowered(self, method: str, params: list[Any]) -> list[Any] | None:
        """The parameters with the numbers of the node; None if one is too low."""
        place = BLOCK_PARAMETER.get(method, 0 if method == "eth_getBlockReceipts" else None)
        lowered = [*params]
        if place is not None:
            lowered[place] = self._lower(params[place])
        elif method == "eth_getLogs":
            bounds = {key: self._lower(params[0][key]) for key in ("fromBlock", "toBlock")}
            lowered[0] = {**params[0], **bounds}
            place = 0
        return None if place is not None and lowered[place] is None else lowered

    def _lower(self, number: str) -> str | None:
        lower = int(number, 16) - self.shift
        return hex(lower) if lower >= 0 else None

    def _raised(self, value: Any) -> Any:
        """An answer with the numbers that it is to have."""
        if isinstance(value, list):
            return [self._raised(each) for each in value]
        if not isinstance(value, dict):
            return value
        raised = {key: self._raised(each) for key, each in value.items()}
        for key in ("number", "blockNumber"):
            if isinstance(value.get(key), str):
                raised[key] = hex(int(value[key], 16) + self.shift)
        return raised


@contextmanager
def fork_over_http(upstream: ServedNode, **options: Any) -> Iterator[Node]:
    """A fork of a served node."""
    options = {"storage_caching": False, "fork_retry_backoff": 0.001, **options}
    with serve(upstream) as served, Node(fork_url=(served.url,), **options) as fork:
        yield fork
