"""Call frames: a tree with one for every call, creation and self-destruct of a transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from devchain.tracing.error_texts import REVERTED, FrameFailure
from devchain.tracing.path_recorder import Path, Stop
from devchain.types import SELECTOR_SIZE, Address

CREATIONS = frozenset({"CREATE", "CREATE2"})
DELEGATECALL = "DELEGATECALL"
DELEGATIONS = frozenset({DELEGATECALL, "CALLCODE"})
"""Messages that run another account's code on the storage of their caller."""

SELFDESTRUCT = "SELFDESTRUCT"


@dataclass(frozen=True, slots=True)
class FrameLog:
    """A log of a frame.

    `index` is its index in the block, `position` the number of the frame's calls before it.
    """

    address: Address
    topics: tuple[int, ...]
    data: bytes
    index: int
    position: int


@dataclass(slots=True)
class Frame:
    """A message and its result; the recorder fills it in while the message runs.

    `kind` is the opcode that sent it; a self-destruct is a frame that transfers `value`. `value`
    is None for a static call. `input` of a creation is its init code. `failure` is None when it
    succeeded. `call_site` is where its caller sent it, `path` how it failed, if paths are recorded.
    `is_top` if it is the message of a transaction, whose `gas` is the limit that the sender gave.
    """

    kind: str
    sender: Address
    to: Address
    gas: int
    input: bytes
    value: int | None
    gas_used: int = 0
    output: bytes = b""
    failure: FrameFailure | None = None
    precompiled: bool = False
    calls: list[Frame] = field(default_factory=list)
    logs: list[FrameLog] = field(default_factory=list)
    is_top: bool = False
    call_site: Stop | None = field(default=None, repr=False)
    path: Path | None = field(default=None, repr=False)

    @property
    def error(self) -> str | None:
        """Why it failed, in geth's words; None when it succeeded."""
        return self.failure.geth if self.failure else None

    @property
    def parity_error(self) -> str | None:
        """Why it failed, in Parity's words; None when it succeeded."""
        return self.failure.parity if self.failure else None

    @property
    def reverted(self) -> bool:
        """Whether REVERT ended it."""
        return self.failure is REVERTED

    @property
    def is_creation(self) -> bool:
        """Whether it creates a contract."""
        return self.kind in CREATIONS

    @property
    def transferred(self) -> int:
        """The value that it transfers, in wei: a delegate call has its caller's and sends none."""
        return 0 if self.kind == DELEGATECALL else self.value or 0

    def walk(self) -> Iterator[Frame]:
        """This frame and all below it, each before those it called."""
        waiting = [self]
        while waiting:
            frame = waiting.pop()
            yield frame
            waiting.extend(reversed(frame.calls))

    def drop_logs(self) -> None:
        """Drop the logs of a frame that failed, and of all below it.

        Frames that failed have none below them, and are not walked once more for each frame above.
        """
        waiting = [self]
        while waiting:
            frame = waiting.pop()
            frame.logs.clear()
            waiting.extend(call for call in frame.calls if not call.failure)


@dataclass(frozen=True, slots=True)
class FlatFrame:
    """A frame, the path that leads to it from the top, and how many frames it called."""

    frame: Frame
    path: tuple[int, ...]
    subtraces: int


def flatten(
    frame: Frame, path: tuple[int, ...] = (), *, precompiles: bool = False
) -> Iterator[FlatFrame]:
    """A frame and all below it; plain calls of precompiled contracts only with `precompiles`."""
    calls = [call for call in frame.calls if precompiles or not _is_hidden(call)]
    yield FlatFrame(frame, path, len(calls))
    for index, call in enumerate(calls):
        yield from flatten(call, (*path, index), precompiles=precompiles)


def _is_hidden(frame: Frame) -> bool:
    return frame.precompiled and frame.kind in {"CALL", "STATICCALL"}


def selectors(top: Frame) -> dict[tuple[bytes, int], int]:
    """How often each selector came with so many bytes of arguments; precompiles do not count."""
    return Counter(
        (frame.input[:SELECTOR_SIZE], len(frame.input) - SELECTOR_SIZE)
        for frame in top.walk()
        if len(frame.input) >= SELECTOR_SIZE and not _is_uncounted(frame)
    )


def _is_uncounted(frame: Frame) -> bool:
    return frame.precompiled or frame.is_creation or frame.kind == SELFDESTRUCT
