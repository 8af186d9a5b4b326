"""One trace in the making: a recorder with the watchers its tracer needs, and what comes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from devchain.chain.block import Block, Receipt
from devchain.tracing.frames import Frame
from devchain.tracing.options import STRUCT_LOGS, Budget, TraceOptions
from devchain.tracing.prestate import Accounts, Difference, PrestateWatch
from devchain.tracing.recorder import Recorder, Watcher
from devchain.tracing.recording_vm import recording
from devchain.tracing.struct_logs import StepLog, Storage
from devchain.types import Address


@dataclass(frozen=True, slots=True)
class Trace:
    """What happened in a transaction or a call: the frames, and what its tracer asked for.

    `storage_after` has the slots it touched as it left them, for `rskTracer`; `place` is the block
    and the receipt of a mined transaction; `parts` are the traces of a `muxTracer`.
    """

    options: TraceOptions
    top: Frame
    steps: StepLog | None = None
    accounts: Accounts | Difference | None = None
    storage_after: dict[Address, Storage] = field(default_factory=dict)
    place: tuple[Block, Receipt] | None = None
    parts: tuple[Trace, ...] = ()


class _Part:
    """What one tracer watches beside the frames."""

    def __init__(self, options: TraceOptions, budget: Budget) -> None:
        self.options = options
        self.steps = _step_log(options, budget)
        self.prestate = PrestateWatch(options) if options.tracer == "prestateTracer" else None

    def watchers(self) -> list[Watcher]:
        """Who wants to know of opcodes."""
        return [each for each in (self.steps, self.prestate) if each]

    def close(self, state: Any, top: Frame, deleted: frozenset[Address]) -> Trace:
        """What came out of it."""
        after = self.steps.storage_after(state) if self.steps else {}
        return Trace(self.options, top, self.steps, self._accounts(state, deleted), after)

    def _accounts(self, state: Any, deleted: frozenset[Address]) -> Accounts | Difference | None:
        if self.prestate is None:
            return None
        if not self.options.diff_mode:
            return self.prestate.prestate()
        return self.prestate.difference(state, deleted)


class Session:
    """Watches one execution as the options ask."""

    def __init__(
        self, options: TraceOptions, budget: Budget | None = None, first_log: int = 0
    ) -> None:
        """`first_log` is the place in the block of the first log it may emit."""
        allowed = budget or Budget()
        self._options = options
        self._parts = [_Part(each, allowed) for each in options.parts or (options,)]
        watchers = tuple(each for part in self._parts for each in part.watchers())
        self.recorder = Recorder(watchers, first_log, allowed)
        self._state: Any = None

    def attach(self, state: Any, addresses: Iterable[Address]) -> None:
        """Watch what is executed on that state; those accounts are touched in any case."""
        self._state = state
        state.computation_class = recording(state.computation_class, self.recorder)
        touched = tuple(addresses)
        for part in self._parts:
            if part.prestate:
                part.prestate.look_at(state, touched)

    @contextmanager
    def recording(self, state: Any, addresses: Iterable[Address] = ()) -> Iterator[None]:
        """Record what runs inside on a state that goes on without it."""
        plain = state.computation_class
        self.attach(state, addresses)
        try:
            yield
        finally:
            state.computation_class = plain

    def close(self, top: Frame, place: tuple[Block, Receipt] | None = None) -> Trace:
        """What came out of it."""
        deleted = self.recorder.deleted
        closed = [
            replace(each.close(self._state, top, deleted), place=place) for each in self._parts
        ]
        if not self._options.parts:
            return closed[0]
        return Trace(self._options, top, place=place, parts=tuple(closed))


def _step_log(options: TraceOptions, budget: Budget) -> StepLog | None:
    if options.tracer == STRUCT_LOGS:
        return StepLog(options, budget)
    if options.tracer == "rskTracer":
        shown = replace(options, enable_memory=True)
        return StepLog(shown, budget, storage_everywhere=True)
    return None
