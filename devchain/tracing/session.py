"""One trace in the making: a recorder with the watchers its tracer needs, and what comes out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from devchain.chain.block import Block, Receipt
from devchain.tracing.frames import Frame
from devchain.tracing.options import STRUCT_LOGS, TraceOptions
from devchain.tracing.prestate import Accounts, Difference, PrestateWatch
from devchain.tracing.recorder import Recorder, Watcher
from devchain.tracing.recording import recording
from devchain.tracing.steps import StepLog, Storage
from devchain.types import Address


@dataclass(frozen=True, slots=True)
class Trace:
    """What happened in a transaction or a call: the frames, and what its tracer asked for.

    `storage_after` has the slots it touched as it left them, for `rskTracer`; `place` is the block
    and the receipt of a mined transaction.
    """

    options: TraceOptions
    top: Frame
    steps: StepLog | None = None
    accounts: Accounts | Difference | None = None
    storage_after: dict[Address, Storage] = field(default_factory=dict)
    place: tuple[Block, Receipt] | None = None


class Session:
    """Watches one execution as the options ask."""

    def __init__(self, options: TraceOptions, first_log: int = 0) -> None:
        """`first_log` is the place in the block of the first log it may emit."""
        self._options = options
        self._steps = _step_log(options)
        self._prestate = PrestateWatch(options) if options.tracer == "prestateTracer" else None
        watchers: list[Watcher] = [each for each in (self._steps, self._prestate) if each]
        self.recorder = Recorder(tuple(watchers), first_log)
        self._state: Any = None

    def attach(self, state: Any, addresses: Iterable[Address]) -> None:
        """Watch what is executed on that state; those accounts are touched in any case."""
        self._state = state
        state.computation_class = recording(state.computation_class, self.recorder)
        if self._prestate:
            self._prestate.look_at(state, addresses)

    def close(self, top: Frame, place: tuple[Block, Receipt] | None = None) -> Trace:
        """What came out of it."""
        after = self._steps.storage_after(self._state) if self._steps else {}
        return Trace(self._options, top, self._steps, self._accounts(), after, place)

    def _accounts(self) -> Accounts | Difference | None:
        if self._prestate is None:
            return None
        if not self._options.diff_mode:
            return self._prestate.prestate()
        return self._prestate.difference(self._state, self.recorder.deleted)


def _step_log(options: TraceOptions) -> StepLog | None:
    if options.tracer == STRUCT_LOGS:
        return StepLog(options)
    if options.tracer == "rskTracer":
        return StepLog(replace(options, enable_memory=True), storage_everywhere=True)
    return None
