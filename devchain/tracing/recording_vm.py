"""Computations that tell a recorder what they do; gas and results stay what they are."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from eth.vm.computation import BaseComputation
from eth.vm.logic.invalid import InvalidOpcode
from eth.vm.stack import Stack

from devchain.tracing.opcode_step import Tally
from devchain.tracing.recorder import Recorder
from devchain.types import Address


class Recording(BaseComputation):
    """What `recording` puts in front of a computation class."""

    recorder: ClassVar[Recorder]

    @classmethod
    def apply_message(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        """Run a message; one that creates has its frame already."""
        run = super().apply_message
        if message.is_create:
            return run(state, message, transaction_context, parent_computation)
        return cls.recorder.run_message(
            run, state, message, transaction_context, parent_computation
        )

    @classmethod
    def apply_create_message(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        """Run a message that creates a contract."""
        return cls.recorder.run_message(
            super().apply_create_message, state, message, transaction_context, parent_computation
        )

    def add_child_computation(self, child_computation: Any) -> None:
        """Keep the child and count its refunds."""
        super().add_child_computation(child_computation)
        self.recorder.settle(self, child_computation)

    def add_log_entry(self, account: Address, topics: tuple[int, ...], data: bytes) -> None:
        """Emit a log."""
        super().add_log_entry(account, topics, data)
        self.recorder.add_log(account, topics, data)

    def _configure_gas_meter(self) -> Any:
        meter = super()._configure_gas_meter()
        return Tally(meter.start_gas, meter.refund_strategy)

    # What watchers read

    def top_of_stack(self, count: int) -> list[int | bytes]:
        """The last words of the stack, as many as there are."""
        return cast(Stack, self._stack).values[-count:]

    def whole_stack(self) -> list[int | bytes]:
        """All words of the stack, the bottom first."""
        return list(cast(Stack, self._stack).values)

    @property
    def stack_size(self) -> int:
        """How many words the stack has."""
        return len(cast(Stack, self._stack).values)

    @property
    def memory_size(self) -> int:
        """How many bytes the memory has."""
        return len(self._memory)

    def whole_memory(self) -> bytes:
        """All of the memory."""
        return self.read_memory(0, len(self._memory))

    def read_memory(self, start: int, size: int) -> bytes:
        """A part of the memory."""
        return self._memory.read_bytes(start, size)


class _Observed:
    """An opcode the recorder runs; the end of an account without code counts for none."""

    __slots__ = ("function", "opcode", "recorder")

    def __init__(self, opcode: int, function: Any, recorder: Recorder) -> None:
        self.opcode = opcode
        self.function = function
        self.recorder = recorder

    def run(self, computation: Any) -> None:
        """Run it: the entry of the table is this method, since methods nest deeper than objects."""
        if computation.msg.code:
            self.recorder.run_opcode(self.opcode, self.function, computation)
        else:
            self.function(computation=computation)


class _AllObserved(dict[int, Any]):
    """A table in which even opcodes that do not exist are observed."""

    recorder: Recorder

    def __missing__(self, opcode: int) -> Any:
        return _Observed(opcode, InvalidOpcode(opcode), self.recorder).run


def recording(kind: Any, recorder: Recorder) -> Any:
    """That computation class, telling the recorder what its computations do.

    Of the fast engine's classes it takes the one they were made from: what is watched runs opcode
    by opcode.
    """
    kind = getattr(kind, "reference", kind)
    wanted = recorder.observed
    table = _AllObserved() if wanted is None else {}
    for opcode, function in kind.opcodes.items():
        observed = wanted is None or opcode in wanted
        table[opcode] = _Observed(opcode, function, recorder).run if observed else function
    if isinstance(table, _AllObserved):
        table.recorder = recorder
    return type(kind.__name__, (Recording, kind), {"recorder": recorder, "opcodes": table})
