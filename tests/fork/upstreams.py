"""Nodes of this process as the upstream of a fork."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

from devchain.client.http import connect
from devchain.errors import RpcFailure, UpstreamRefused
from devchain.node import Node
from devchain.upstream.fact import Fact, ForkBlock


class NodeUpstream:
    """Answers facts from a node, as `Upstream` does over HTTP, and counts them."""

    def __init__(self, node: Node) -> None:
        self._client = connect(node)
        self.asked: list[list[Fact]] = []

    @property
    def requests(self) -> int:
        """The calls so far."""
        return sum(map(len, self.asked))

    @property
    def round_trips(self) -> int:
        """The batches so far."""
        return len(self.asked)

    def pin(self, fork: ForkBlock) -> None:
        """A node of this process is what it is."""

    def close(self) -> None:
        """There is no connection."""

    def read(self, *facts: Fact) -> list[Any]:
        """The answers in order."""
        answers = self.ask(facts)
        return [answers[each] for each in facts]

    def ask(self, facts: Sequence[Fact]) -> dict[Fact, Any]:
        """The answers by fact; an error in place of one that was refused."""
        self.asked.append(list(facts))
        results = self._client.batch([(each.method, *each.values) for each in facts])
        return {
            each: UpstreamRefused(str(result), result.code, str(result))
            if isinstance(result, RpcFailure)
            else result
            for each, result in zip(facts, results, strict=True)
        }


def fork_of(node: Node, **options: Any) -> tuple[Node, NodeUpstream]:
    """A fork of that node, and what it asks."""
    upstream = NodeUpstream(node)
    with patch("devchain.chain.fork.Upstream", lambda *_, **__: upstream):
        options = {"storage_caching": False, **options}
        return Node(fork_url=("http://upstream.example",), **options), upstream
