"""Virtual machines that count which instructions of a contract's code run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Protocol

from eth.vm.code_stream import CodeStream
from eth.vm.computation import BaseComputation
from eth.vm.opcode_values import STOP

from devchain.evm.rules import Rules


class Counters(Protocol):
    """Where it is counted what runs."""

    def counts(self, code: bytes, *, creating: bool) -> dict[int, int]:
        """How often each place in some code ran so far, to be counted on."""


class CountingStream(CodeStream):
    """py-evm's code stream, counting the places it passes."""

    __slots__ = ["counts"]

    def __init__(self, code: bytes, start: int, counts: dict[int, int]) -> None:
        """Run that code from that place on."""
        super().__init__(code)
        self.program_counter = start
        self.counts = counts

    def __iter__(self) -> Iterator[int]:
        """The opcodes as they are run."""
        code, size, counts = self._raw_code_bytes, self._length_cache, self.counts
        while self.program_counter < size:
            place = self.program_counter
            counts[place] = counts.get(place, 0) + 1
            self.program_counter = place + 1
            yield code[place]
        yield STOP


class Covered(BaseComputation):
    """What `covered` puts in front of a computation class."""

    reference: ClassVar[Any]
    counters: ClassVar[Counters]

    def __init__(self, state: Any, message: Any, transaction_context: Any) -> None:
        """Count on what is written down of the message's code."""
        super().__init__(state, message, transaction_context)
        plain: Any = self.code
        code = message.code
        if code and plain._raw_code_bytes == code:  # noqa: SLF001  # else another stands for it
            counts = self.counters.counts(code, creating=message.is_create)
            self.code = CountingStream(code, plain.program_counter, counts)


def covered(rules: Rules, counters: Counters) -> Rules:
    """The same rules, their machine counting what it runs.

    Of the fast engine's computations it takes those they were made from: what is counted runs
    opcode by opcode. Traces, which run what has run, are not counted.
    """
    vm_class = rules.vm_class
    state_class = vm_class.get_state_class()
    fast = state_class.computation_class
    plain = getattr(fast, "reference", fast)
    counting = type(plain.__name__, (Covered, plain), {"reference": plain, "counters": counters})
    state_class = state_class.configure(__name__=state_class.__name__, computation_class=counting)
    machine = vm_class.configure(__name__=vm_class.__name__, _state_class=state_class)
    return replace(rules, vm_class=machine)  # type: ignore[type-var]  # rules are dataclasses
