"""Follows a node's chain by polling: which blocks were mined, and which were taken back.

Works on any node: of a block only number, hash and parent hash are needed, and polling finds
reverts, resets and reorganizations, which subscriptions do not report.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from devchain.cli import output
from devchain.cli.options import UNSUPPORTED
from devchain.client.http import Call, Client, all_results
from devchain.client.views import BlockView, Notation, number
from devchain.errors import ConnectionFailed, DevchainError, InvalidInput, RpcFailure

KEPT = 256
"""Blocks that are remembered: a deeper reorganization makes the whole chain new."""

ATTEMPTS = 3
"""Reads of a part of the chain that changes meanwhile."""


class PatientClient:
    """A client that does not ask for a method again which the node has said that it lacks."""

    def __init__(self, node: Client) -> None:
        self._node = node
        self._missing: dict[object, RpcFailure] = {}

    def call(self, method: str, *params: object) -> Any:  # noqa: ANN401  # as the protocol has it
        """The result of one call; raises `RpcFailure` if the node answers an error."""
        return all_results(self, [(method, *params)])[0]

    def batch(self, calls: Sequence[Call]) -> list[Any]:
        """The results of several calls, in order; a call that failed gives its `RpcFailure`."""
        try:
            asked = self._node.batch([call for call in calls if call[0] not in self._missing])
        except ConnectionFailed:
            self._missing.clear()  # another node may answer next
            raise
        answers = iter(asked)
        results = [self._missing.get(call[0]) or next(answers) for call in calls]
        for call, result in zip(calls, results, strict=True):
            if isinstance(result, RpcFailure) and result.code in UNSUPPORTED:
                self._missing[call[0]] = result
        return results


@dataclass(frozen=True, slots=True)
class ChainUpdate:
    """What has changed since the last poll: blocks taken back, then blocks added.

    Both have the oldest block first. Numbers are missing in `added`, or between it and the blocks
    before, where more blocks were mined than are read.
    """

    removed: Sequence[BlockView] = ()
    added: Sequence[BlockView] = ()


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
        self._blocks: list[BlockView] = []
        self.head: BlockView | None = None
        """The head of the chain at the last poll."""

    @property
    def is_behind(self) -> bool:
        """Whether there are blocks left for the next poll."""
        return bool(self.head and self._blocks and self.head.number > self._blocks[-1].number)

    def poll(self) -> ChainUpdate:
        """What has changed since the last poll; the first has the newest blocks."""
        for attempt in range(ATTEMPTS):
            head = _block(self._node.call("eth_getBlockByNumber", "latest", False))
            if not self._blocks and not self._count:
                self._blocks = [head]
            if self._blocks and head.hash == self._blocks[-1].hash:
                self.head = head
                return ChainUpdate()
            kept = self._count_kept(head)
            base = self._blocks[kept - 1] if kept else None
            first, last = self._range(base, head)
            added = self._read(range(first, last + 1))
            if len(added) == max(last - first + 1, 0) and _is_chain(base, added, head):
                break
            if attempt == ATTEMPTS - 1 and not kept and not added:
                return ChainUpdate()  # it changes all the time
        self.head = head
        update = ChainUpdate(self._blocks[kept:], added)
        self._blocks = [*self._blocks[:kept], *added][-KEPT:]
        return update

    def _range(self, base: BlockView | None, head: BlockView) -> tuple[int, int]:
        if base is not None:
            first = base.number + 1
        elif self._blocks and not self._skips:  # another chain: also the same numbers, mined anew
            newest = head.number - max(self._count, self._limit) + 1
            first = max(min(newest, self._blocks[0].number), 0)
        else:
            first = max(head.number - self._count + 1, 0)
        if self._skips:
            return max(first, head.number - self._limit + 1), head.number
        return first, min(head.number, first + self._limit - 1)

    def _count_kept(self, head: BlockView) -> int:
        if self._blocks and self._blocks[-1].hash == head.parent_hash:
            return len(self._blocks)
        known = [block for block in self._blocks if block.number <= head.number]
        answers = self._answers([block.number for block in known], full=False)
        pairs = list(zip(known, answers, strict=True))
        while pairs:
            block, answer = pairs[-1]
            if isinstance(answer, dict) and answer.get("hash") == block.hash:
                break
            pairs.pop()
        return len(pairs)

    def _read(self, numbers: Sequence[int]) -> list[BlockView]:
        return [_block(answer) for answer in self._answers(numbers, full=True) if answer]

    def _answers(self, numbers: Sequence[int], *, full: bool) -> list[object]:
        calls = [("eth_getBlockByNumber", hex(height), full) for height in numbers]
        return all_results(self._node, calls)


def _block(answer: object) -> BlockView:
    block = BlockView.of(answer, Notation(0))
    if block.is_pending or number(block.json.get("number")) is None:
        raise InvalidInput(f"the node returned {str(answer)[:80]!r}, which is not a block")
    return block


def _is_chain(base: BlockView | None, added: Sequence[BlockView], head: BlockView) -> bool:
    blocks = [*([base] if base else []), *added]
    if not blocks or (blocks[-1].number >= head.number and blocks[-1].hash != head.hash):
        return False
    return all(
        parent.number + 1 != block.number or parent.hash == block.parent_hash
        for parent, block in pairwise(blocks)
    )


def shown_url(url: str) -> str:
    """A URL without what may be secret in it: path and password."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def follow(
    write_new: Callable[[], None],
    url: str,
    interval: float,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Write what is new until Ctrl-C; raises `DevchainError` only if the node refuses at first.

    A node that does not answer is waited for, with a note on stderr.
    """
    problem, has_begun = "", False
    while True:
        now = ""
        try:
            write_new()
            has_begun = True
        except ConnectionFailed:
            now = f"waiting for node at {url}"
        except DevchainError as error:
            if not has_begun:
                raise
            now = str(error)
        if now != problem:
            output.write_note(now or f"the node at {url} answers")
            problem = now
        sleep(interval)
