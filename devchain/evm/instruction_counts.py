"""VM classes that count how often each instruction of a contract runs, for coverage."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any, ClassVar, Protocol

from eth.vm.code_stream import CodeStream
from eth.vm.computation import BaseComputation

from devchain.evm import deadline
from devchain.evm.bounded import OPCODES_PER_CHECK
from devchain.evm.opcodes import Op
from devchain.evm.rules import Rules


class InstructionCounters(Protocol):
    """Counts by contract code."""

    def counts(self, code: bytes, *, creating: bool) -> dict[int, int]:
        """How often the instruction at each offset of some code has run; callers add to it.

        At the complement of the offset of a JUMPI is how often it jumped.
        """


class CountingStream(CodeStream):
    """py-evm's code stream, counting the offsets at which it reads opcodes, and jumps."""

    __slots__ = ["counts"]

    def __init__(self, code: bytes, start: int, counts: dict[int, int]) -> None:
        super().__init__(code)
        self.program_counter = start
        self.counts = counts

    def __iter__(self) -> Iterator[int]:
        code, size, counts = self._raw_code_bytes, self._length_cache, self.counts
        before, opcode, jumpi = 0, int(Op.STOP), int(Op.JUMPI)
        while True:
            for _ in repeat(None, OPCODES_PER_CHECK):
                place = self.program_counter
                if opcode == jumpi and place != before + 1:
                    counts[~before] = counts.get(~before, 0) + 1
                if place >= size:
                    yield Op.STOP
                    return
                counts[place] = counts.get(place, 0) + 1
                self.program_counter = place + 1
                before, opcode = place, code[place]
                yield opcode
            deadline.check()


class CountingComputation(BaseComputation):
    """The base class that `count_instructions` puts before a computation class.

    `reference` runs code without counting, by the interpreter; `engine` is the class that is not
    used since it cannot count: the fast engine's, if that is in force.
    """

    reference: ClassVar[Any]
    engine: ClassVar[Any]
    counters: ClassVar[InstructionCounters]

    def __init__(self, state: Any, message: Any, transaction_context: Any) -> None:
        super().__init__(state, message, transaction_context)
        stream: Any = self.code
        code = message.code
        if code and stream._raw_code_bytes == code:  # noqa: SLF001  # delegated code differs
            counts = self.counters.counts(code, creating=message.is_create)
            self.code = CountingStream(code, stream.program_counter, counts)


def counts_instructions(computation_class: Any) -> bool:
    return issubclass(computation_class, CountingComputation)


def uncounted(computation_class: Any) -> Any:
    """The class without counting; any other class as it is."""
    is_counting = counts_instructions(computation_class)
    return computation_class.reference if is_counting else computation_class


def count_instructions(rules: Rules, counters: InstructionCounters) -> Rules:
    """The same rules with a VM that counts every instruction of transactions and calls.

    Code is interpreted opcode by opcode, also under the fast engine. Traces are not counted.
    """
    computation = rules.vm_class.get_state_class().computation_class
    plain = getattr(computation, "reference", computation)
    members = {"reference": plain, "engine": computation, "counters": counters}
    counting = type(plain.__name__, (CountingComputation, plain), members)
    return rules.with_state(computation_class=counting)
