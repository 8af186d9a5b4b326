"""A node that plays the upstream of a fork, in process, and nodes whose history is read from it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from devchain.chain.chain import Chain
from devchain.chain.storage.block_store import MemoryBlockStore
from devchain.chain.upstream_blocks import UpstreamBlocks
from devchain.client.http import LocalClient
from devchain.errors import ForkCacheMiss, RpcFailure, UpstreamFailed, UpstreamRefused
from devchain.evm.hardforks import rules_for
from devchain.evm.rules import Rules
from devchain.node import Node
from devchain.upstream.fork_cache import ForkCache
from devchain.upstream.queries import ForkBlock, UpstreamQuery


class NodeUpstream:
    """Asks a node in process, as an `Upstream` asks one over HTTP.

    `asked` has every value that was asked for, `round_trips` counts the batches. `refused` methods
    are answered with an error, those of `answers` with a value of their own.
    """

    address = "http://upstream.example"

    def __init__(self, node: Node, refused: Collection[str] = ()) -> None:
        """Ask that node."""
        self._client = LocalClient(node)
        self.refused = set(refused)
        self.answers: dict[str, Any] = {}
        self.asked: list[UpstreamQuery] = []
        self.round_trips = 0
        self.is_closed = False

    def pin(self, fork: ForkBlock) -> None:
        """Accept the fork block."""

    def close(self) -> None:
        """Note that it was closed."""
        self.is_closed = True

    @property
    def requests(self) -> int:
        """How many values were asked for."""
        return len(self.asked)

    def read(self, *cache: UpstreamQuery) -> list[Any]:
        """The values in order."""
        answers = self.ask(list(cache))
        return [answers[each] for each in cache]

    def ask(self, cache: list[UpstreamQuery]) -> dict[UpstreamQuery, Any]:
        """The value of each, or the error."""
        self.round_trips += 1
        self.asked += cache
        return {each: self._answer(each) for each in cache}

    def _answer(self, wanted: UpstreamQuery) -> Any:
        if wanted.method in self.refused:
            return UpstreamRefused("the upstream refuses", -32601, "method not found")
        if wanted.method in self.answers:
            return self.answers[wanted.method]
        try:
            return self._client.call(wanted.method, *wanted.values)
        except RpcFailure as error:
            return UpstreamRefused("the upstream refuses", error.code, error.message)

    def methods(self) -> list[str]:
        """The methods of all that was asked, in order."""
        return [each.method for each in self.asked]


def upstream_blocks(
    node: Node, upstream: Any, number: int, rules: Rules | None = None
) -> tuple[ForkCache, UpstreamBlocks]:
    """The blocks of a node up to that number, read through that upstream, under rules of ours."""
    block = node.chain.block(number)
    fork = ForkBlock(node.config.effective_chain_id, number, block.hash)
    cache = ForkCache(upstream, None, fork)
    return cache, UpstreamBlocks(cache, fork, rules or node.chain.rules, node.chain.rules_at)


def with_upstream_history(
    node: Node, number: int, upstream: Any = None, hardfork: str = ""
) -> Node:
    """A node whose blocks up to that number are read from another, whose states it shares.

    With a hardfork its rules are those in force; blocks up to the fork have the other node's.
    """
    config = replace(node.config, hardfork=hardfork or node.config.hardfork)
    rules = rules_for(config.hardfork, config.engine)
    _, blocks = upstream_blocks(node, upstream or NodeUpstream(node), number, rules)
    chain = Chain(config, rules, node.chain.database, MemoryBlockStore(blocks))
    chain.first = number
    chain.rules_at = lambda at: node.chain.rules if at <= number else rules
    for block_hash, state in node.chain._edited.items():
        chain._store.edit(block_hash, state)
    fork = Node.__new__(Node)
    fork.config, fork.chain, fork.coverage = config, chain, None
    fork.clock = node.clock.copy()
    fork.accounts = node.accounts.copy(fork.clock.monotonic)
    fork.artifacts = node.artifacts.copy()
    fork._assemble()
    return fork


def complete(cache: ForkCache, read: Any) -> tuple[Any, int]:
    """What a function returns that is called until nothing is missing, and how often it was."""
    cache.deferred = True
    for attempt in range(1, 1_000):
        try:
            return read(), attempt
        except ForkCacheMiss as missing:
            cache.deferred = False
            cache.fetch(missing)
            cache.deferred = True
        except UpstreamFailed:
            raise
    raise AssertionError("never complete")
