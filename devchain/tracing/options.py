"""What a caller can ask of a trace."""

from __future__ import annotations

from dataclasses import dataclass

from devchain.errors import LimitExceeded
from devchain.types import WORD_SIZE, Address, BlockOverride, BlockRef, StateOverrides, Tag

DEFAULT_WORDS = 8_000_000


class Budget:
    """Words of 32 bytes that may still be written down; one for all traces of a request."""

    def __init__(self, words: int = DEFAULT_WORDS) -> None:
        """Start with so many."""
        self._left = words
        self._words = words

    def spend(self, words: int) -> None:
        """Take from it; raises `LimitExceeded` when there are not so many left."""
        self._left -= words
        if self._left < 0:
            raise LimitExceeded(
                f"the trace grows larger than {self._words} words (--max-trace-size): give a limit,"
                " leave out stack, memory and storage, or ask for fewer transactions"
            )

    def spend_bytes(self, *values: bytes) -> None:
        """Take what some bytes need."""
        self.spend(sum(len(value) for value in values) // WORD_SIZE)


STRUCT_LOGS = "structLogs"
TRACERS = (
    "callTracer",
    "prestateTracer",
    "4byteTracer",
    "flatCallTracer",
    "rskTracer",
)
"""The tracers by name; without a name a trace is one of struct logs."""

MUX = "muxTracer"
"""Several of them at once, in one run."""


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """Which tracer, and what it shall show; `limit` is a number of steps, 0 for all.

    `overrides` change the state before `debug_traceCall` runs, `block_override` its block; `parts`
    are the tracers that a `muxTracer` runs at once.
    """

    tracer: str = STRUCT_LOGS
    disable_stack: bool = False
    disable_storage: bool = False
    enable_memory: bool = False
    disable_memory: bool = False
    enable_return_data: bool = False
    limit: int = 0
    only_top_call: bool = False
    with_log: bool = False
    diff_mode: bool = False
    disable_code: bool = False
    include_empty: bool = False
    include_precompiles: bool = False
    convert_parity_errors: bool = False
    overrides: StateOverrides | None = None
    block_override: BlockOverride | None = None
    parts: tuple[TraceOptions, ...] = ()


@dataclass(frozen=True, slots=True)
class TraceQuery:
    """Which traces `trace_filter` finds: of transactions from and to these accounts.

    No accounts at all means any; `after` traces are skipped, at most `count` are given.
    """

    from_block: BlockRef = Tag.EARLIEST
    to_block: BlockRef = Tag.LATEST
    senders: frozenset[Address] = frozenset()
    receivers: frozenset[Address] = frozenset()
    after: int = 0
    count: int | None = None
