"""Options of traces: tracers, their settings, the size budget, and `trace_filter` queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from devchain.errors import LimitExceeded, option_names
from devchain.types import WORD_SIZE, Address, BlockOverride, BlockRef, StateOverrides, Tag

DEFAULT_WORDS = 8_000_000


class Budget:
    """How many words of 32 bytes the traces of one request may still have."""

    def __init__(self, words: int = DEFAULT_WORDS) -> None:
        self._left = words
        self._words = words

    def spend(self, words: int) -> None:
        """Spend words; raises `LimitExceeded` when the budget is used up."""
        self._left -= words
        if self._left < 0:
            raise LimitExceeded(
                f"the trace grows larger than {self._words} words "
                f"({option_names('max_trace_size')}): give a limit, leave out stack, memory and "
                "storage, or ask for fewer transactions"
            )

    @property
    def used(self) -> int:
        return self._words - self._left

    def spend_bytes(self, *values: bytes) -> None:
        self.spend(sum(len(value) for value in values) // WORD_SIZE)


STRUCT_LOGS = "structLogs"
TRACERS = (
    "callTracer",
    "prestateTracer",
    "4byteTracer",
    "flatCallTracer",
    "rskTracer",
    "sourceTracer",
)
"""The tracers by name; without a name a trace has struct logs."""

SOURCE = "sourceTracer"  # where a transaction failed; it needs `TraceOptions.with_sources`
MUX = "muxTracer"  # runs several tracers in one execution


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """The tracer and its settings; `limit` is a number of steps, 0 for all.

    With `stops` the replay of a transaction ends where the limit or the budget is reached. `parts`
    are the tracers of a `muxTracer`. With `keep_preimages` a `prestateTracer` keeps what was hashed
    and code that ran by delegation. With `find_code_map`, frames that failed have the path from
    which `source.explain` finds where in the source; `locate` does so for a frame. With
    `full_steps` each step has the storage of its contract that is known.
    """

    tracer: str = STRUCT_LOGS
    disable_stack: bool = False
    disable_storage: bool = False
    enable_memory: bool = False
    disable_memory: bool = False
    enable_return_data: bool = False
    full_steps: bool = False
    limit: int = 0
    only_top_call: bool = False
    stops: bool = False
    with_log: bool = False
    diff_mode: bool = False
    disable_code: bool = False
    include_empty: bool = False
    include_precompiles: bool = False
    keep_preimages: bool = False
    convert_parity_errors: bool = False
    overrides: StateOverrides | None = None
    block_override: BlockOverride | None = None
    tx_index: int | None = None
    parts: tuple[TraceOptions, ...] = ()
    find_code_map: Callable[[Any], Any] | None = None
    locate: Callable[[Any], Any] | None = None

    def with_sources(
        self, find_code_map: Callable[[Any], Any], locate: Callable[[Any], Any]
    ) -> TraceOptions:
        """The options with what `sourceTracer` needs, if they name it; others record no paths."""
        parts = tuple(part.with_sources(find_code_map, locate) for part in self.parts)
        if self.tracer != SOURCE and not any(part.find_code_map for part in parts):
            return self
        return replace(self, parts=parts, find_code_map=find_code_map, locate=locate)


@dataclass(frozen=True, slots=True)
class TraceQuery:
    """A `trace_filter` query: traces of transactions from and to these accounts, or any."""

    from_block: BlockRef = Tag.EARLIEST
    to_block: BlockRef = Tag.LATEST
    senders: frozenset[Address] = frozenset()
    receivers: frozenset[Address] = frozenset()
    after: int = 0
    count: int | None = None
