"""The Python text of a region while it is written, and what is known along each path through it.

The stack of the EVM becomes Python variables and expressions: a `Path` executes the bytecode with
symbolic words (`Value`) in place of numbers. A word is a constant, a variable, or an expression
that has not been evaluated yet. Expressions have no effects and read nothing that can change, so
they are evaluated where they are used, or never.

`PUSH1 1  ADD  DUP1  PUSH1 0x40  MSTORE`, compiled at the start of a region:

    instruction  symbolic stack, top last        written
                 (empty: words below are a1...)
    PUSH1 1      1
    ADD          (1 + a1 & 0xff..ff)             a1 is the word on top at the start
    DUP1         t1  t1                          t1 = (1 + a1 & 0xff..ff)
    PUSH1 0x40   t1  t1  64
    MSTORE       t1                              if 96 > size: gas = expand_memory(...)
                                                 mem[64:96] = t1.to_bytes(32)

    >>> emitted("1 ADD DUP1 64 MSTORE")
    a1, = stack[base:]
    gas -= 15
    t1 = (1 + a1 & 0xff...ff)
    if 96 > size: gas = expand_memory(mem, 96, gas); size = len(mem)
    mem[64:96] = t1.to_bytes(32)
    stack[base:] = [t1]

The gas of all five is charged at once, at the first; the last line is written where compiled code
returns to the interpreter, which expects the words on the real stack. Memory is tracked, too: a
word that has just been stored is not read again, and its end is not checked twice.

    >>> emitted("64 MSTORE 64 MLOAD")
    a1, = stack[base:]
    gas -= 12
    if 96 > size: gas = expand_memory(mem, 96, gas); size = len(mem)
    mem[64:96] = a1.to_bytes(32)
    stack[base:] = [a1]
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from devchain.evm.compiler.instructions import STACK_LIMIT, Instruction
from devchain.types import WORD_SIZE

MAX_EXPRESSION = 160
"""Characters an expression may have before it is assigned to a variable."""
MAX_CONDITIONS = 2
"""Comparisons after which re-reading a word of memory is cheaper."""

# Words


@dataclass(frozen=True, slots=True)
class Value:
    """A word of the stack at compile time.

    `code` is its Python expression. `flag` is a Python condition that holds when the word is 1 and
    fails when it is 0. `total` is what `code` reduces modulo 2**256, if that is a sum: a sum of
    sums is reduced once. `bits` is how many bits it has at most.
    """

    code: str
    constant: int | None = None
    is_variable: bool = False
    flag: str = ""
    total: str = ""
    bits: int = 256

    @property
    def is_simple(self) -> bool:
        """Whether it costs nothing to evaluate it twice."""
        return self.is_variable or self.constant is not None

    @property
    def addend(self) -> str:
        """Its expression as a part of a sum."""
        return f"({self.total})" if self.total else self.code

    @property
    def truth(self) -> str:
        """A Python condition: the word is not 0."""
        return self.flag or self.code


def constant(number: int) -> Value:
    """A word that is known at compile time."""
    code = str(number) if number < 10**6 else hex(number)
    return Value(code, number, bits=number.bit_length())


def variable(name: str, bits: int = 256) -> Value:
    """A word in a Python variable."""
    return Value(name, is_variable=True, bits=bits)


def flag_variable(name: str) -> Value:
    """A word that is 0 or 1, in a Python variable that is False or True."""
    return Value(f"(+{name})", is_variable=True, flag=name, bits=1)


def condition(expression: str) -> Value:
    """A word that is 1 if that Python condition holds, else 0."""
    return Value(f"(+({expression}))", flag=f"({expression})", bits=1)


# Text of the function

MESSAGE_VARIABLES = {"state": "c.state", "this": "c.msg.storage_address", "data": "c.msg.data"}
"""Variables for what does not change during a message, assigned in functions that use them."""
_NAME = re.compile(r"\w+")


@dataclass(slots=True)
class Charge:
    """A line that charges gas; the amount grows as more opcodes are charged with it."""

    amount: int = 0


@dataclass(frozen=True, slots=True)
class StackWrite:
    """A line that writes `words` to the real stack, in place of its top `depth` words."""

    words: tuple[Value, ...]
    depth: int


@dataclass(slots=True)
class FunctionText:
    """The text of a region's function, line by line with indentation.

    `depth` is how many words it reads from the stack below it, `height` how many it may push.
    """

    lines: list[tuple[int, str | Charge | StackWrite]] = field(default_factory=list)
    depth: int = 0
    height: int = 0
    variables: int = 0
    constants: dict[str, object] = field(default_factory=dict)

    def add_line(self, indent: int, line: str | Charge | StackWrite) -> None:
        """Add a line; the text of charges and stack writes is rendered at the end, in `python`."""
        self.lines.append((indent, line))

    def new_variable(self) -> str:
        """A name for a variable that is assigned once."""
        self.variables += 1
        return f"t{self.variables}"

    def bind_object(self, value: object) -> str:
        """The global name under which the function finds that Python object."""
        name = f"g{len(self.constants)}"
        self.constants[name] = value
        return name

    def python(self, *, start: int, is_loop: bool) -> str:
        """The whole function, for the region that begins at `start`.

        It returns -2 - `start`, for the interpreter, if the stack has too few or too many words.
        """
        lines = [self._text_of(indent + is_loop, line) for indent, line in self.lines]
        body = "\n".join(filter(None, lines))
        used = set(_NAME.findall(body))
        names = "".join(f"a{place}, " for place in range(self.depth, 0, -1))
        limit = STACK_LIMIT - self.depth - self.height
        head = [
            "def region(c, stack, meter):",
            f" base = len(stack) - {self.depth}",
            f" if base < 0 or base > {limit}: return {-2 - start}",
            f" {names}= stack[base:]" if names else "",
            " mem = c._memory._bytes",
            " size = len(mem)",
            " gas = meter.gas_remaining",
            " next_check = gas - CHECK_EVERY if gas > CHECK_EVERY else 0",
            *(f" {name} = {code}" for name, code in MESSAGE_VARIABLES.items() if name in used),
            " while True:" if is_loop else "",
        ]
        return "\n".join([*filter(None, head), body])

    def _text_of(self, indent: int, line: str | Charge | StackWrite) -> str:
        margin = " " * (indent + 1)
        if isinstance(line, str):
            return margin + line
        if isinstance(line, Charge):
            if not line.amount:
                return ""
            check = f"{margin}if gas < next_check: next_check = check_limits(gas)"
            return f"{margin}gas -= {line.amount}\n{check}"
        untouched = [f"a{place}" for place in range(self.depth, line.depth, -1)]
        words = [*untouched, *(each.code for each in line.words)]
        return f"{margin}stack[base:] = [{', '.join(words)}]"


# Paths


@dataclass(frozen=True, slots=True)
class KnownWord:
    """A word of memory with a known value, provided that the `conditions` hold at run time."""

    offset: Value
    value: Value
    conditions: tuple[str, ...] = ()

    def after_store(self, offset: Value) -> KnownWord | None:
        """The same after a word was stored elsewhere, or None if it may have been overwritten.

        Of two constant offsets it is known whether the words overlap; of a constant and another
        one it becomes a condition: `t1 >= 96` after 64 was known and a word was stored at t1.
        """
        mine, other = self.offset.constant, offset.constant
        if mine is not None and other is not None:
            return self if abs(mine - other) >= WORD_SIZE else None
        if (mine is None and other is None) or len(self.conditions) == MAX_CONDITIONS:
            return None
        apart = f"{offset.code} >= {(mine or 0) + WORD_SIZE}"
        if mine is None:
            apart = f"{self.offset.code} >= {(other or 0) + WORD_SIZE}"
        return replace(self, conditions=(*self.conditions, apart))


@dataclass(slots=True)
class Path:
    """One path of control flow through a region, and what is known along it.

    `words` is the symbolic stack, the top last, from `depth` words below where the region began.
    `reached` maps an offset's expression to how many bytes after it the memory is known to have,
    "" to the known size of the memory. `memory` holds known words by the expression of their
    offset. `visited` are the offsets of its blocks. `instruction` is the one being compiled.
    """

    text: FunctionText
    instruction: Instruction
    indent: int = 0
    words: list[Value] = field(default_factory=list)
    depth: int = 0
    charge: Charge | None = None
    reached: dict[str, int] = field(default_factory=dict)
    memory: dict[str, KnownWord] = field(default_factory=dict)
    visited: frozenset[int] = frozenset()

    def branch(self) -> Path:
        """A copy that goes on inside an `if`."""
        return replace(
            self,
            indent=self.indent + 1,
            words=list(self.words),
            charge=None,
            reached=dict(self.reached),
            memory=dict(self.memory),
        )

    def add_line(self, line: str) -> None:
        """Write a line of Python."""
        self.text.add_line(self.indent, line)

    # Gas

    def charge_gas(self, amount: int) -> None:
        """Charge a constant price, in one line with the prices that follow."""
        if self.charge is None:
            self.charge = Charge()
            self.text.add_line(self.indent, self.charge)
        self.charge.amount += amount

    def charge_computed_gas(self, price: str) -> None:
        """Charge a price that is an expression, and check the deadline when it is high."""
        self.add_line(f"gas -= {price}")
        self.add_line("if gas < next_check: next_check = check_limits(gas)")

    def end_charge(self) -> None:
        """Charge what follows in a line of its own, so that `gas` is exact here."""
        self.charge = None

    # Stack

    @property
    def height(self) -> int:
        """How many words more the stack has than where the region began."""
        return len(self.words) - self.depth

    def push(self, value: Value) -> None:
        """Push a word."""
        if len(value.code) > MAX_EXPRESSION:
            value = self.evaluate(value)
        self.words.append(value)
        self.text.height = max(self.text.height, self.height)

    def pop(self) -> Value:
        """Pop a word."""
        self.require_words(1)
        return self.words.pop()

    def pop_simple(self) -> Value:
        """Pop a word as a constant or a variable, for expressions that use it twice."""
        return self.evaluate(self.pop())

    def require_words(self, count: int) -> None:
        """Have that many words on the symbolic stack, those from below the region as `a1, a2`."""
        while len(self.words) < count:
            self.depth += 1
            self.words.insert(0, variable(f"a{self.depth}"))
        self.text.depth = max(self.text.depth, self.depth)

    def duplicate(self, place: int) -> None:
        """DUP: push the word at a place, 1 being the top."""
        self.require_words(place)
        value = self.words[-place] = self.evaluate(self.words[-place])
        self.push(value)

    def swap(self, place: int) -> None:
        """SWAP: exchange the top and the word that many places below it."""
        self.require_words(place + 1)
        words = self.words
        words[-1], words[-place - 1] = words[-place - 1], words[-1]

    def evaluate(self, value: Value) -> Value:
        """The word as a constant or a variable, to which its expression is assigned here."""
        if value.is_simple:
            return value
        name = self.text.new_variable()
        self.add_line(f"{name} = {value.flag or value.code}")
        return flag_variable(name) if value.flag else variable(name, value.bits)

    def assign(self, expression: str, bits: int = 256) -> Value:
        """The variable to which an expression is assigned that has to be evaluated here."""
        return self.evaluate(Value(expression, bits=bits))

    def write_back(self) -> None:
        """Write the stack and the gas to where the interpreter keeps them."""
        self.text.add_line(self.indent, StackWrite(tuple(self.words), self.depth))
        self.add_line("meter.gas_remaining = gas")

    # Memory

    def expand_memory(self, offset: Value, size: int) -> None:
        """Have `size` bytes of memory at an offset, which has to be simple."""
        if self._is_reached(offset, size):
            return
        number = offset.constant
        end = f"{offset.code} + {size}" if number is None else str(number + size)
        self.add_line(f"if {end} > size: gas = expand_memory(mem, {end}, gas); size = len(mem)")
        self._note_reached(offset, size)

    def _is_reached(self, offset: Value, size: int) -> bool:
        if offset.constant is not None:
            return offset.constant + size <= self.reached.get("", 0)
        return size <= self.reached.get(offset.code, 0)

    def _note_reached(self, offset: Value, size: int) -> None:
        key, end = offset.code, size
        if offset.constant is not None:
            key, end = "", offset.constant + size
        self.reached[key] = max(end, self.reached.get(key, 0))

    def load_word(self, offset: Value) -> Value:
        """MLOAD: a word of memory; one that is known is not read."""
        self.expand_memory(offset, WORD_SIZE)
        known = self.memory.get(offset.code)
        if known and not known.conditions:
            return known.value
        reading = f"from_bytes({memory_slice(offset, WORD_SIZE)})"
        if known:
            reading = f"{known.value.code} if {' and '.join(known.conditions)} else {reading}"
        value = self.assign(reading)
        self.memory[offset.code] = KnownWord(offset, value)
        return value

    def store_word(self, offset: Value, value: Value) -> None:
        """MSTORE: write a word of memory."""
        self.expand_memory(offset, WORD_SIZE)
        value = self.evaluate(value)
        number = value.constant
        data = f"{value.code}.to_bytes(32)" if number is None else repr(number.to_bytes(32))
        self.add_line(f"{memory_slice(offset, WORD_SIZE)} = {data}")
        after = {key: known.after_store(offset) for key, known in self.memory.items()}
        self.memory = {key: known for key, known in after.items() if known}
        self.memory[offset.code] = KnownWord(offset, value)

    def forget_memory(self) -> None:
        """Assume nothing about words of memory: it has been written to in another way."""
        self.memory = {}


def memory_slice(offset: Value, size: int) -> str:
    """The Python slice of that many bytes of memory."""
    if offset.constant is None:
        return f"mem[{offset.code}:{offset.code} + {size}]"
    return f"mem[{offset.constant}:{offset.constant + size}]"
