"""Call frames: one for every message that ran, or was refused, in a transaction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from devchain.types import Address

CREATIONS = frozenset({"CREATE", "CREATE2"})
SELFDESTRUCT = "SELFDESTRUCT"
REVERTED = "execution reverted"


@dataclass(frozen=True, slots=True)
class FrameLog:
    """A log of a frame.

    `index` is its place in the block, `position` how many calls of the frame came before it.
    """

    address: Address
    topics: tuple[int, ...]
    data: bytes
    index: int
    position: int


@dataclass(slots=True)
class Frame:
    """A message and what came of it; the recorder fills it in while the message runs.

    `kind` is the opcode behind it; a self-destruct counts as one that gives `value` away. `value`
    is None for a static call. `input` of a creation is its init code. `error` is None when it
    succeeded, `reverted` is true when it was REVERT that ended it.
    """

    kind: str
    sender: Address
    to: Address
    gas: int
    input: bytes
    value: int | None
    gas_used: int = 0
    output: bytes = b""
    error: str | None = None
    reverted: bool = False
    precompiled: bool = False
    calls: list[Frame] = field(default_factory=list)
    logs: list[FrameLog] = field(default_factory=list)

    @property
    def is_creation(self) -> bool:
        """Whether it makes a contract."""
        return self.kind in CREATIONS

    def walk(self) -> Iterator[Frame]:
        """This frame and all below it, each before those it called."""
        yield self
        for call in self.calls:
            yield from call.walk()

    def drop_logs(self) -> None:
        """Take back the logs of a frame that failed, and of all below it."""
        for frame in self.walk():
            frame.logs.clear()
