"""Trace sessions: a recorder with the tracers that options name, and the trace they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from devchain.chain.block import Block, Receipt
from devchain.tracing.frames import Frame
from devchain.tracing.options import STRUCT_LOGS, Budget, TraceOptions
from devchain.tracing.path_recorder import PathRecorder
from devchain.tracing.prestate_tracer import Accounts, Difference, PrestateTracer
from devchain.tracing.recorder import OpcodeTracer, Recorder, recording_class
from devchain.tracing.struct_logger import RskStructLogger, StructLogger
from devchain.types import Address


@dataclass(frozen=True, slots=True)
class Trace:
    """The frames of a transaction or a call, and what its tracer recorded beside them.

    `mined` is the block and the receipt of a mined transaction; `parts` are the traces of a
    `muxTracer`; `is_cut` if the replay was stopped (`TraceOptions.stops`).
    """

    options: TraceOptions
    top: Frame
    steps: StructLogger | None = None
    accounts: Accounts | Difference | None = None
    mined: tuple[Block, Receipt] | None = None
    parts: tuple[Trace, ...] = ()
    is_cut: bool = False


class _TracerPart:
    """One tracer of a session: what it records beside the frames."""

    def __init__(self, options: TraceOptions, budget: Budget) -> None:
        self.options = options
        self.steps = _step_log(options, budget)
        self.prestate = PrestateTracer(options) if options.tracer == "prestateTracer" else None

    def opcode_tracers(self) -> list[OpcodeTracer]:
        return [tracer for tracer in (self.steps, self.prestate) if tracer]

    def finish(self, state: Any, top: Frame, deleted: frozenset[Address]) -> Trace:
        accounts = self._accounts(state, deleted)
        return Trace(self.options, top, self.steps, accounts)

    def _accounts(self, state: Any, deleted: frozenset[Address]) -> Accounts | Difference | None:
        if self.prestate is None:
            return None
        if not self.options.diff_mode:
            return self.prestate.prestate()
        return self.prestate.difference(state, deleted)


class TraceSession:
    """Records one execution with the tracer, or the tracers, that the options name."""

    def __init__(
        self, options: TraceOptions, budget: Budget | None = None, first_log: int = 0
    ) -> None:
        """`first_log` is the index in the block of the first log that is recorded."""
        allowed = budget or Budget()
        self._options = options
        self._parts = [_TracerPart(part, allowed) for part in options.parts or (options,)]
        tracers = tuple(tracer for part in self._parts for tracer in part.opcode_tracers())
        paths = PathRecorder(options.find_code_map) if options.find_code_map else None
        self.recorder = Recorder(tracers, first_log, allowed, paths)
        self._state: Any = None

    def attach(self, state: Any, addresses: Iterable[Address]) -> None:
        """Record what runs on that state; those accounts are touched in any case."""
        self._state = state
        state.computation_class = recording_class(state.computation_class, self.recorder)
        touched = tuple(addresses)
        for part in self._parts:
            if part.prestate:
                part.prestate.add_accounts(state, touched)

    @contextmanager
    def recording(self, state: Any, addresses: Iterable[Address] = ()) -> Iterator[None]:
        """Record what runs on that state inside the `with`, and not after it."""
        plain = state.computation_class
        self.attach(state, addresses)
        try:
            yield
        finally:
            state.computation_class = plain

    def finish(self, top: Frame, mined: tuple[Block, Receipt] | None = None) -> Trace:
        """The trace of an execution; `mined` is the block and receipt of a mined transaction."""
        deleted = self.recorder.deleted
        traces = [
            replace(part.finish(self._state, top, deleted), mined=mined) for part in self._parts
        ]
        if not self._options.parts:
            return traces[0]
        return Trace(self._options, top, mined=mined, parts=tuple(traces))


def _step_log(options: TraceOptions, budget: Budget) -> StructLogger | None:
    if options.tracer == STRUCT_LOGS:
        return StructLogger(options, budget)
    if options.tracer == "rskTracer":
        return RskStructLogger(replace(options, enable_memory=True), budget)
    return None
