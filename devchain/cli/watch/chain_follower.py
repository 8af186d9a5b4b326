"""Follows a node's chain by polling: which blocks were mined, and which were taken back.

Works on any node: of a block only number, hash and parent hash are needed, and polling finds
reverts, resets and reorganizations, which subscriptions do not report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from devchain.client.http import Client
from devchain.client.views import Json, number
from devchain.errors import InvalidInput, RpcFailure

KEPT = 256
"""Blocks that are remembered: a deeper reorganization makes the whole chain new."""

NEAR = 8
"""Blocks that are compared first when the chain has changed: most changes are at its end."""

ATTEMPTS = 3
"""Reads of a part of the chain that changes meanwhile."""


@dataclass(frozen=True, slots=True)
class Block:
    """The header of a block that the node returned, and its transactions as the node has them."""

    number: int
    hash: str
    parent: str
    timestamp: int
    gas_used: int
    gas_limit: int
    json: Json = field(repr=False, compare=False)

    @classmethod
    def of(cls, found: object) -> Block:
        """The block of a JSON-RPC result; raises `InvalidInput` if it is none."""
        height = number(found.get("number")) if isinstance(found, dict) else None
        if not isinstance(found, dict) or height is None or not isinstance(found.get("hash"), str):
            raise InvalidInput(f"the node returned {str(found)[:80]!r}, which is not a block")
        return cls(
            height,
            found["hash"],
            str(found.get("parentHash")),
            number(found.get("timestamp")) or 0,
            number(found.get("gasUsed")) or 0,
            number(found.get("gasLimit")) or 0,
            found,
        )

    @property
    def transactions(self) -> Sequence[Any]:
        """Transaction objects; hashes if the block was read without them."""
        found = self.json.get("transactions")
        return found if isinstance(found, list) else []


@dataclass(frozen=True, slots=True)
class ChainUpdate:
    """What has changed since the last poll: blocks taken back, then blocks added.

    Both have the oldest block first. Numbers are missing in `added`, or between it and the blocks
    before, where more blocks were mined than are read.
    """

    removed: Sequence[Block] = ()
    added: Sequence[Block] = ()


class ChainFollower:
    """A cursor over the chain of a node, which may be reverted, reset or restarted meanwhile."""

    def __init__(self, node: Client, *, count: int, limit: int, skips: bool) -> None:
        """Begin with the newest `count` blocks; a poll reads at most `limit`.

        If more have been mined, the newest of them are read with `skips`, else the oldest, and
        later polls go on behind them.
        """
        self._node = node
        self._count = count
        self._limit = limit
        self._skips = skips
        self._blocks: list[Block] = []
        self.head: Block | None = None
        """The head of the chain at the last poll."""

    @property
    def is_behind(self) -> bool:
        """Whether there are blocks left for the next poll."""
        return bool(self.head and self._blocks and self.head.number > self._blocks[-1].number)

    def poll(self) -> ChainUpdate:
        """What has changed since the last poll; the first has the newest blocks."""
        for attempt in range(ATTEMPTS):
            head = Block.of(self._node.call("eth_getBlockByNumber", "latest", False))
            if self._blocks and head.hash == self._blocks[-1].hash:
                self.head = head
                return ChainUpdate()
            if not self._blocks and not self._count:
                self.head = head
                self._blocks = [head]
                return ChainUpdate()
            kept = self._still_there(head)
            base = self._blocks[kept - 1] if kept else None
            first, last = self._range(base, head)
            added = self._read(first, last)
            if len(added) == max(last - first + 1, 0) and _is_chain(base, added, head):
                break
            if attempt == ATTEMPTS - 1 and not kept and not added:
                return ChainUpdate()  # it changes all the time
        self.head = head
        update = ChainUpdate(self._blocks[kept:], added)
        self._blocks = [*self._blocks[:kept], *added][-KEPT:]
        return update

    def _range(self, base: Block | None, head: Block) -> tuple[int, int]:
        if base is None:
            first = max(head.number - self._count + 1, 0)
            if self._blocks and not self._skips:
                first = min(first, self._blocks[0].number)  # the same numbers, mined anew
        else:
            first = base.number + 1
        if self._skips:
            return max(first, head.number - self._limit + 1), head.number
        return first, min(head.number, first + self._limit - 1)

    def _still_there(self, head: Block) -> int:
        known = self._blocks
        if known and known[-1].hash == head.parent:
            return len(known)
        end = sum(each.number <= head.number for each in known)
        for first, last in ((max(end - NEAR, 0), end), (0, max(end - NEAR, 0))):
            calls = [
                ("eth_getBlockByNumber", hex(each.number), False) for each in known[first:last]
            ]
            found = self._node.batch(calls)
            for position in range(last - 1, first - 1, -1):
                answer = found[position - first]
                if isinstance(answer, RpcFailure):
                    raise answer
                if isinstance(answer, dict) and answer.get("hash") == known[position].hash:
                    return position + 1
        return 0

    def _read(self, first: int, last: int) -> list[Block]:
        calls = [("eth_getBlockByNumber", hex(each), True) for each in range(first, last + 1)]
        blocks = []
        for found in self._node.batch(calls):
            if isinstance(found, RpcFailure):
                raise found
            if found is None:
                break
            blocks.append(Block.of(found))
        return blocks


def _is_chain(base: Block | None, added: Sequence[Block], head: Block) -> bool:
    blocks = [*([base] if base else []), *added]
    if not blocks or (blocks[-1].number >= head.number and blocks[-1].hash != head.hash):
        return False
    return all(
        parent.number + 1 != each.number or parent.hash == each.parent
        for parent, each in pairwise(blocks)
    )
