"""`devchain.node.filters` after reverts, beside a model that changes every filter at once"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from devchain.chain.block import MinedLog
from devchain.config import Config
from devchain.node import Node
from devchain.node.cheats import reorg, rollback
from devchain.types import LogQuery
from tests.accounts import BOB
from tests.actions import deploy, run, send
from tests.bytecode import EMIT, word
from tests.conftest import GENESIS_TIME

Change = tuple[bool, bytes] | bytes


@dataclass
class Watched:
    """A filter of the model: where it reads from, up to where it has read, and what was removed.

    `reported` are the blocks whose logs the client has, wherever a snapshot has put the cursor.
    """

    kind: str
    first: int
    cursor: int
    is_subscription: bool
    removed: list[Change] = field(default_factory=list)
    reported: tuple[int, int] = (0, -1)

    def position(self) -> tuple[int, int]:
        """What a snapshot has of it."""
        return self.first, self.cursor


class Model:
    """Filters as lists: every revert changes each of them, every snapshot copies each of them."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.watched: dict[int, Watched] = {}
        self.snapshots: dict[int, dict[int, tuple[Watched, tuple[int, int]]]] = {}

    def blocks_after(self, height: int) -> list[tuple[int, Change]]:
        """The blocks above that height: number and hash."""
        return [(block.number, block.hash) for block in self.node.chain.blocks_after(height)]

    def logs_after(self, height: int) -> list[tuple[int, Change]]:
        """The logs above that height: the block's number, and block and topic."""
        return [
            (block.number, (False, block.hash + log.topics[0]))
            for block in self.node.chain.blocks_after(height)
            for receipt in block.receipts
            for log in receipt.logs
        ]

    def poll(self, filter_id: int) -> list[Change]:
        """What is new to a filter."""
        found, height = self.watched[filter_id], self.node.chain.height
        if found.kind == "transactions":
            new: list[Change] = [*self.node.mempool.arrivals[found.cursor :]]
            found.cursor = len(self.node.mempool.arrivals)
            return new
        read = self.blocks_after if found.kind == "blocks" else self.logs_after
        new = [*found.removed, *(each for number, each in read(found.cursor))]
        found.removed = []
        found.cursor, found.reported = height, (found.first, height)
        return new

    def remove(self, height: int) -> None:
        """The blocks above that height will be removed."""
        for found in self.watched.values():
            if found.kind == "logs":
                read = [
                    each
                    for number, each in self.logs_after(height)
                    if found.reported[0] <= number <= found.reported[1]
                ]
                found.removed += [(True, each[1]) for each in reversed(read)]  # type: ignore[misc]
                found.first = min(found.first, height + 1)
                found.reported = found.reported[0], min(found.reported[1], height)
            if found.kind != "transactions":
                found.cursor = min(found.cursor, height)

    def snapshot(self, taken: int) -> None:
        """A snapshot of all but the subscriptions was taken."""
        self.snapshots[taken] = {
            key: (each, each.position())
            for key, each in self.watched.items()
            if not each.is_subscription
        }

    def restore(self, taken: int) -> None:
        """That snapshot was restored."""
        for key, (found, (first, cursor)) in self.snapshots[taken].items():
            if key in self.watched:
                found.first, found.cursor = first, cursor
        for found in self.watched.values():
            if found.kind == "transactions":
                found.cursor = min(found.cursor, len(self.node.mempool.arrivals))


def shown(change: Any) -> Change:
    """A change as the model has it."""
    if isinstance(change, MinedLog):
        return change.removed, change.block.hash + change.log.topics[0]
    assert isinstance(change, bytes)
    return change


class Play:
    """Draws steps and takes them on a node and on the model."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311
        self.node = Node(Config(network="test", fixed_clock=GENESIS_TIME))
        self.emitter = deploy(self.node, EMIT)
        self.model = Model(self.node)
        self.taken: list[int] = []
        self.count = 0
        self.steps: list[Callable[[], None]] = [
            self.emit, self.emit, self.mine, self.send, self.install, self.subscribe, self.poll,
            self.poll, self.poll, self.poll, self.uninstall, self.snapshot, self.snapshot,
            self.revert, self.revert, self.rollback, self.reorg, self.drop,
        ]  # fmt: skip

    def emit(self) -> None:
        self.count += 1
        run(self.node, self.emitter, word(self.count) + word(0))

    def mine(self) -> None:
        self.node.mine(self.random.randint(1, 3))

    def send(self) -> None:
        self.count += 1
        send(self.node, BOB, value=self.count)

    def install(self, *, for_subscription: bool = False) -> None:
        filters, height = self.node.filters, self.node.chain.height
        kind = self.random.choice(["logs", "logs", "blocks", "transactions"])
        cursor = len(self.node.mempool.arrivals) if kind == "transactions" else height
        if kind == "logs":
            query = LogQuery(from_block=height + 1)
            key = filters.watch_logs(
                query, height, from_now=True, for_subscription=for_subscription
            )
        elif kind == "blocks":
            key = filters.watch_blocks(for_subscription=for_subscription)
        else:
            key = filters.watch_pending(for_subscription=for_subscription)
        self.model.watched[key] = Watched(kind, height + 1, cursor, for_subscription)

    def subscribe(self) -> None:
        self.install(for_subscription=True)

    def poll(self) -> None:
        for key in self.model.watched:
            if self.random.random() < 0.4:
                expected = self.model.poll(key)
                assert [*map(shown, self.node.filters.changes(key))] == expected, key

    def uninstall(self) -> None:
        if self.model.watched:
            key = self.random.choice([*self.model.watched])
            del self.model.watched[key]
            assert self.node.filters.uninstall(key)
            assert not self.node.filters.uninstall(key)

    def snapshot(self) -> None:
        self.taken.append(self.node.snapshots.take())
        self.model.snapshot(self.taken[-1])

    def drop(self) -> None:
        if self.taken:
            self.node.snapshots.drop(self.taken.pop(self.random.randrange(len(self.taken))))

    def revert(self) -> None:
        if not self.taken:
            return
        chosen = self.random.choice(self.taken)
        found = self.node.snapshots.find(chosen)
        assert found
        if self.node.chain.can_restore(found.chain):
            self.model.remove(found.chain.height)
            self.taken = [each for each in self.taken if each <= chosen]
            assert self.node.revert(chosen)
            self.model.restore(chosen)

    def rollback(self) -> None:
        self._remove(rollback)

    def reorg(self) -> None:
        self._remove(lambda node, depth: reorg(node, depth, ()))

    def _remove(self, remove: Callable[[Node, int], None]) -> None:
        height = self.node.chain.height
        depth = self.random.randint(1, 2)
        if height - depth >= 1:
            self.model.remove(height - depth)
            remove(self.node, depth)


@pytest.mark.parametrize("seed", range(12))
def test_as_the_model(seed: int) -> None:
    """What filters return after drawn steps is what the model returns."""
    play = Play(seed)
    for _ in range(120):
        play.random.choice(play.steps)()

    for key in play.model.watched:
        assert [*map(shown, play.node.filters.changes(key))] == play.model.poll(key)
