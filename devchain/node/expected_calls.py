"""Calls between contracts that clients expect, and whether blocks have them.

An expectation names the block after which it looks; nothing is recorded while blocks are mined.
Snapshots include expectations made over JSON-RPC: a revert removes later ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from devchain.errors import LimitExceeded
from devchain.types import Address

if TYPE_CHECKING:
    from devchain.chain.chain import Chain
    from devchain.node.call_explainer import CallExplainer
    from devchain.tracing.frames import Frame

MAX_EXPECTED = 1_000
MAX_DATA = 100_000  # bytes of call data of all expectations


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """Calls that are expected: of an address, with data that starts so, with a value, so many.

    Any value if it is None; at least one call if `count` is None.
    """

    address: Address
    data: bytes
    value: int | None
    count: int | None

    def fits(self, frame: Frame) -> bool:
        return (
            frame.to == self.address
            and frame.input.startswith(self.data)
            and self.value in (None, frame.value)
            and not frame.kind.startswith("CREATE")
        )

    def is_met(self, found: int) -> bool:
        return found == self.count or (self.count is None and found > 0)


class Open(NamedTuple):
    """An expectation, its id, and the number of the block after which it looks."""

    id: int
    expected: ExpectedCall
    after: int


class ExpectedCalls:
    """What clients expect of the calls in blocks to come; ids count from 1 and are used once."""

    def __init__(self, chain: Chain, explainer: CallExplainer) -> None:
        self._chain, self._explainer = chain, explainer
        self._open: tuple[Open, ...] = ()
        self._last_id = 0

    def add(self, expected: ExpectedCall) -> int:
        """Expect calls in the blocks after the present head; the id. Raises `LimitExceeded`."""
        size = len(expected.data) + sum(
            len(expectation.expected.data) for expectation in self._open
        )
        if len(self._open) >= MAX_EXPECTED or size > MAX_DATA:
            raise LimitExceeded(
                f"at most {MAX_EXPECTED} calls with {MAX_DATA} bytes of data can be expected: "
                "check them with devchain_checkExpectedCalls, which removes them"
            )
        self._last_id += 1
        self._open = (*self._open, Open(self._last_id, expected, self._chain.height))
        return self._last_id

    def check(self) -> list[tuple[Open, int]]:
        """The expectations that are not met and their numbers of calls; all are removed."""
        all_calls = calls_after(self._chain, self._explainer, self._open)
        unmet = [
            (expectation, len(calls))
            for expectation, calls in zip(self._open, all_calls, strict=True)
            if not expectation.expected.is_met(len(calls))
        ]
        self._open = ()
        return unmet

    # Snapshots

    def checkpoint(self) -> tuple[Open, ...]:
        return self._open

    def restore(self, checkpoint: tuple[Open, ...]) -> None:
        self._open = checkpoint
        self._last_id = max([self._last_id, *(expectation.id for expectation in checkpoint)])


def calls_after(chain: Any, explainer: Any, wanted: Sequence[Open]) -> list[list[Frame]]:
    """The calls of each expectation, in their order; those that were undone are left out."""
    fitting: list[list[Frame]] = [[] for _ in wanted]
    start = min((expectation.after for expectation in wanted), default=chain.height)
    for block in chain.blocks_after(start):
        for top in explainer.block_frames(block):
            for frame in top.walk(succeeded=True):
                for expectation, calls in zip(wanted, fitting, strict=True):
                    if block.number > expectation.after and expectation.expected.fits(frame):
                        calls.append(frame)
    return fitting
