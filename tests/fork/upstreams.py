"""Forks of nodes of this process."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from devchain.node import Node
from tests.chain.upstream import NodeUpstream


def fork_of(node: Node, upstream: Any = None, **options: Any) -> tuple[Node, NodeUpstream]:
    """A fork of that node, and what it asks it through."""
    upstream = upstream or NodeUpstream(node)
    options = {"storage_caching": False, **options}
    with patch("devchain.chain.fork.Upstream", lambda *_, **__: upstream):
        return Node(fork_url=("http://upstream.example",), **options), upstream
