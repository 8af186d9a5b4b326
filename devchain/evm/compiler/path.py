"""What the compiler knows on one way through a region: the stack, the memory, where it has been."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from devchain.evm.compiler.source import Charge, Source, WriteBack
from devchain.evm.compiler.values import Value, name, named_flag

MOST_CONDITIONS = 2
LONGEST = 160
"""Characters an expression may have before it is given a name."""


@dataclass(frozen=True, slots=True)
class Known:
    """A word of memory whose value is known as long as the `conditions` hold at run time."""

    offset: Value
    value: Value
    conditions: tuple[str, ...] = ()

    def after_write(self, to: Value) -> Known | None:
        """The same after a word was written elsewhere, or None if it may be another now."""
        here, there = self.offset.constant, to.constant
        if here is not None and there is not None:
            return self if abs(here - there) >= 32 else None
        if (here is None and there is None) or len(self.conditions) == MOST_CONDITIONS:
            return None
        apart = f"{to.code} >= {(here or 0) + 32}"
        if here is None:
            apart = f"{self.offset.code} >= {(there or 0) + 32}"
        return replace(self, conditions=(*self.conditions, apart))


@dataclass(slots=True)
class Path:
    """One way through a region.

    `words` is the stack, the top last, from `depth` words below where the region began;
    `reached` says for an offset up to where memory is known to be there, `memory` what words of it
    are.
    """

    source: Source
    indent: int = 0
    words: list[Value] = field(default_factory=list)
    depth: int = 0
    charge: Charge | None = None
    reached: dict[str, int] = field(default_factory=dict)
    memory: dict[str, Known] = field(default_factory=dict)
    been: frozenset[int] = frozenset()

    def branch(self) -> Path:
        """A way that parts from this one, inside an `if`."""
        return replace(
            self,
            indent=self.indent + 1,
            words=list(self.words),
            charge=None,
            reached=dict(self.reached),
            memory=dict(self.memory),
        )

    def line(self, text: str) -> None:
        """Add a line of Python."""
        self.source.line(self.indent, text)

    # Gas

    def spend(self, gas: int) -> None:
        """Charge a price that is known now, together with what follows."""
        if self.charge is None:
            self.charge = Charge()
            self.source.line(self.indent, self.charge)
        self.charge.amount += gas

    def settle(self) -> None:
        """From here on `gas` is exact: what follows is charged for itself."""
        self.charge = None

    # Stack

    @property
    def height(self) -> int:
        """How much higher the stack is than where the region began."""
        return len(self.words) - self.depth

    def push(self, value: Value) -> None:
        """Put a word on the stack."""
        if len(value.code) > LONGEST:
            value = self.named(value)
        self.words.append(value)
        self.source.height = max(self.source.height, self.height)

    def pop(self) -> Value:
        """Take a word from the stack."""
        self.need(1)
        return self.words.pop()

    def pop_simple(self) -> Value:
        """Take a word from the stack that can be mentioned twice."""
        return self.named(self.pop())

    def need(self, count: int) -> None:
        """Know that many words of the stack, if need be from before the region."""
        while len(self.words) < count:
            self.depth += 1
            self.words.insert(0, name(f"a{self.depth}"))
        self.source.depth = max(self.source.depth, self.depth)

    def duplicate(self, place: int) -> None:
        """DUP: the word at a place, 1 being the top."""
        self.need(place)
        value = self.words[-place] = self.named(self.words[-place])
        self.push(value)

    def swap(self, place: int) -> None:
        """SWAP the top with the word that far below it."""
        self.need(place + 1)
        words = self.words
        words[-1], words[-place - 1] = words[-place - 1], words[-1]

    def named(self, value: Value) -> Value:
        """The word as a constant or a variable, evaluated now."""
        if value.is_simple:
            return value
        fresh = self.source.fresh()
        self.line(f"{fresh} = {value.flag or value.code}")
        return named_flag(fresh) if value.flag else name(fresh, value.bits)

    def assign(self, expression: str, bits: int = 256) -> Value:
        """A word that is computed now and never again."""
        return self.named(Value(expression, bits=bits))

    def write_back(self) -> None:
        """Put the stack and the gas where everybody else finds them."""
        self.source.line(self.indent, WriteBack(tuple(self.words), self.depth))
        self.line("meter.gas_remaining = gas")

    # Memory

    def reach(self, offset: Value, size: int) -> None:
        """Make sure the memory has `size` bytes at an offset, which has to be simple."""
        if self._is_reached(offset, size):
            return
        number = offset.constant
        end = f"{offset.code} + {size}" if number is None else str(number + size)
        self.line(f"if {end} > size: gas = grow(mem, {end}, gas); size = len(mem)")
        self.note_reached(offset, size)

    def _is_reached(self, offset: Value, size: int) -> bool:
        if offset.constant is not None:
            return offset.constant + size <= self.reached.get("", 0)
        return size <= self.reached.get(offset.code, 0)

    def note_reached(self, offset: Value, size: int) -> None:
        """Remember that the memory has `size` bytes at an offset."""
        key, end = offset.code, size
        if offset.constant is not None:
            key, end = "", offset.constant + size
        self.reached[key] = max(end, self.reached.get(key, 0))

    def load(self, offset: Value) -> Value:
        """A word of memory; what has just been written need not be read."""
        self.reach(offset, 32)
        known = self.memory.get(offset.code)
        if known and not known.conditions:
            return known.value
        reading = f"from_bytes({word_at(offset)})"
        if known:
            reading = f"{known.value.code} if {' and '.join(known.conditions)} else {reading}"
        value = self.assign(reading)
        self.memory[offset.code] = Known(offset, value)
        return value

    def store(self, offset: Value, value: Value) -> None:
        """Write a word of memory."""
        self.reach(offset, 32)
        value = self.named(value)
        number = value.constant
        data = f"{value.code}.to_bytes(32)" if number is None else repr(number.to_bytes(32))
        self.line(f"{word_at(offset)} = {data}")
        after = {key: known.after_write(offset) for key, known in self.memory.items()}
        self.memory = {key: known for key, known in after.items() if known}
        self.memory[offset.code] = Known(offset, value)

    def forget_memory(self) -> None:
        """Somebody else may have written to memory."""
        self.memory = {}


def word_at(offset: Value) -> str:
    """A word of memory as a Python slice."""
    if offset.constant is None:
        return f"mem[{offset.code}:{offset.code} + 32]"
    return f"mem[{offset.constant}:{offset.constant + 32}]"
