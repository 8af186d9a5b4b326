"""The Python text of a region while it is written, and what is known along each path through it.

The stack of the EVM becomes Python variables and expressions: a `Path` executes the bytecode with
symbolic words (`Value`) in place of numbers. A word is a constant, a variable, or an expression
that has not been evaluated yet. Expressions have no effects and read nothing that can change, so
they are evaluated where they are used, or never.

The word on top where a region starts is `a1`:

    >>> emitted("1 ADD DUP1 64 MSTORE")
    a1, = stack[base:]
    t1 = a1 + 1
    if 96 > size: gas = expand_memory(mem, 96, gas - 15) + 15; size = len(mem)
    t2 = (t1 & 0xff...ff)
    store(mem, 64, t2.to_bytes(32))
    return [t2], gas - 15

The gas of all five is charged at once, before anything that depends on it: until then a path can
fail in no other way than by running out of it. The last line stands for the return to the
interpreter, which expects the words on the real stack (`runtime.leave`). Memory is tracked, too: a
word that has just been stored is not read again, and its end is not checked twice.

    >>> emitted("64 MSTORE 64 MLOAD")
    a1, = stack[base:]
    if 96 > size: gas = expand_memory(mem, 96, gas - 6) + 6; size = len(mem)
    store(mem, 64, a1.to_bytes(32))
    return [a1], gas - 12

A path also knows in which range its variables are, from the branches that it took. A sum that
fits is not reduced modulo 2**256, a condition that always holds is not tested:

    >>> emitted("DUP1 5 LT ISZERO 99 JUMPI 1 SWAP1 SUB")  # 5 < a1, so that a1 - 1 is no underflow
    a1, = stack[base:]
    if (not (5 < a1)):
     gas -= 25
     raise jump_error(code, 99)
    return [(a1 - 1)], gas - 34
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from eth.constants import UINT_256_MAX

from devchain.evm.compiler.instructions import STACK_LIMIT, Instruction
from devchain.evm.compiler.runtime import MAX_ZEROS
from devchain.evm.memory_limit import STEP_BITS
from devchain.types import WORD_SIZE

MAX_EXPRESSION = 160  # characters an expression may have before it is assigned to a variable
MAX_TERMS = 4  # variables of a sum of which memory offsets are compared
MAX_TOTAL_BITS = 600  # that a variable may have before it is reduced to 256
MAX_MEMORY = 2**63 - 1  # more than any memory has: an offset that was accessed is below it
FREE_MEMORY_POINTER = 64  # where Solidity keeps the start of unused memory

Range = tuple[int, int]  # the least and the greatest number that something can be
WORD: Range = (0, UINT_256_MAX)

# Words

# The classes have neither `==` nor `repr`: these take two thirds of the time in which a class is
# made, and this module is imported when the first code has become hot.


@dataclass(slots=True, eq=False, repr=False)
class Sum:
    """A number as multiples of variables and a constant: `8 * a1 + t2 + 64`."""

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    def plus(self, other: Sum | None, factor: int = 1) -> Sum | None:
        """The sum with another one times a factor, or None if it has too many variables."""
        if other is None:
            return None
        terms = dict(self.terms)
        for name, count in other.terms:
            terms[name] = terms.get(name, 0) + count * factor
        found = tuple(sorted((name, count) for name, count in terms.items() if count))
        if len(found) > MAX_TERMS:
            return None
        return Sum(found, self.constant + other.constant * factor)

    def range(self, ranges: Mapping[str, Range]) -> Range:
        low = high = self.constant
        for name, count in self.terms:
            least, greatest = ranges.get(name, WORD)
            low += count * (least if count > 0 else greatest)
            high += count * (greatest if count > 0 else least)
        return low, high


@dataclass(slots=True, eq=False, repr=False)
class Origin:
    """How a word was computed, to recognise checks for overflow.

    `operation` is "add", "sub" or "mul" of the two expressions; "quotient" when the product
    `total` of both was divided by the second; "exact" for the condition that this is the first.
    """

    operation: str
    operands: tuple[str, str]
    total: str = ""


Facts = tuple[tuple[str, int, int], ...]  # ranges of variables


@dataclass(slots=True, eq=False, repr=False)
class Value:
    """A word of the stack at compile time. It is never changed.

    `code` is its Python expression. `flag` is a Python condition that holds when the word is 1 and
    fails when it is 0. `range` is what it can be. If `code` reduces a sum or product modulo
    2**256, `total` is that, and `total_range` what it can be: a sum of sums is reduced once. `sum`
    is the total as a sum of variables. `if_true` is what a condition says about variables,
    `if_false` what its contrary does.
    """

    code: str
    constant: int | None = None
    is_variable: bool = False
    flag: str = ""
    range: Range = WORD
    total: str = ""
    total_range: Range = WORD
    sum: Sum | None = None
    origin: Origin | None = None
    if_true: Facts = ()
    if_false: Facts = ()

    @property
    def is_simple(self) -> bool:
        """Whether it costs nothing to evaluate it twice."""
        return self.is_variable or self.constant is not None

    @property
    def minimum(self) -> int:
        return self.range[0]

    @property
    def maximum(self) -> int:
        return self.range[1]

    @property
    def bits(self) -> int:
        return self.maximum.bit_length()

    @property
    def addend(self) -> str:
        return f"({self.total})" if self.total else self.code

    @property
    def addend_range(self) -> Range:
        return self.total_range if self.total else self.range

    @property
    def truth(self) -> str:
        return self.flag or self.code


@lru_cache(maxsize=1_024)
def constant(number: int) -> Value:
    code = str(number) if number < 10**6 else hex(number)
    return Value(code, number, range=(number, number), sum=Sum((), number))


def variable(name: str, found: Range = WORD, total: Sum | None = None) -> Value:
    return Value(name, is_variable=True, range=found, sum=total or Sum(((name, 1),)))


def expression(code: str, bits: int = 256) -> Value:
    """A word that is that Python expression, of so many bits at most."""
    return Value(code, range=(0, (1 << bits) - 1))


def condition(code: str, if_true: Facts = (), if_false: Facts = ()) -> Value:
    """A word that is 1 if that Python condition holds, else 0."""
    return Value(f"(+({code}))", flag=f"({code})", range=(0, 1), if_true=if_true, if_false=if_false)


def reduced(
    total: str, found: Range, total_sum: Sum | None = None, origin: Origin | None = None
) -> Value:
    if total_sum is not None and not total_sum.terms:
        return constant(total_sum.constant & UINT_256_MAX)
    if found[0] >= 0 and found[1] <= UINT_256_MAX:
        return Value(f"({total})", range=found, sum=total_sum, origin=origin)
    code = f"({total} & {UINT_256_MAX:#x})"
    return Value(code, total=total, total_range=found, sum=total_sum, origin=origin)


# Text of the function

MESSAGE_VARIABLES = {"state": "c.state", "this": "c.msg.storage_address", "data": "c.msg.data"}
"""Variables for what does not change during a message, assigned in functions that use them."""


def _uses(body: str, name: str) -> bool:
    return name in body and re.search(rf"\b{name}\b", body) is not None


Carried = Mapping[int, str]  # variables of words of memory, by offset, in a loop

Line = str | Callable[["FunctionText", Carried], list[str]]
"""A line of Python, or what writes it at the end, when the whole function is known."""


def exit_line(to: int | str, words: Iterable[Value], depth: int, gas: int) -> Line:
    """A line that returns to the interpreter, which goes on at `to`: an offset, or as `region`.

    It writes `words` to the real stack, in place of its top `depth` words, and charges the gas that
    was used and not charged yet.
    """
    codes = [word.code for word in words]
    left = f"gas - {gas}" if gas else "gas"

    def write(text: FunctionText, _: Carried) -> list[str]:
        return [f"return leave(stack, base, {text.stack(codes, depth)}, meter, {left}, {to})"]

    return write


@dataclass(slots=True, eq=False, repr=False)
class Expansion:
    """A line that expands the memory to `offset + size`; `size` grows with accesses behind it.

    `gas` is what was used and not charged yet, `exit` what is done before an offset that no memory
    has. Where a loop expands the memory in each turn, from the free memory pointer that it moves,
    the line does what `runtime.expand_memory` does, if that is little memory, so that gas may be
    checked later, and none that `memory_limit` counts.
    """

    offset: Value
    size: int
    gas: int
    exit: Line = ""

    def __call__(self, text: FunctionText, carried: Carried) -> list[str]:
        offset = self.offset
        end = f"{offset.code} + {self.size}"
        if offset.constant is not None:
            end = str(offset.constant + self.size)
        charged = f"gas - {self.gas}) + {self.gas}" if self.gas else "gas)"
        call = f"gas = expand_memory(mem, {end}, {charged}; size = len(mem)"
        pointer = carried.get(FREE_MEMORY_POINTER)
        is_allocation = offset.sum is not None and pointer in dict(offset.sum.terms)
        if not self.exit and not is_allocation:
            return [f"if {end} > size: {call}"]
        lines = [f"if {end} > size:"]
        if self.exit:
            lines.append(f" if {offset.code} > {MAX_MEMORY:#x}:")
            lines += [f"  {line}" for line in text.lines_of(self.exit, carried)]
        if not is_allocation:
            return [*lines, f" {call}"]
        return [
            *lines,
            f" after = {offset.code} + {self.size + WORD_SIZE - 1} & -{WORD_SIZE}",
            " added = after - size",
            f" if added > {MAX_ZEROS} or (after - 1 ^ size - 1) >> {STEP_BITS}: {call}",
            " else:",
            "  gas -= (3 * added >> 5) + (after * after >> 19) - (size * size >> 19)",
            "  mem += ZEROS[added >> 5]",
            "  size = after",
        ]


@dataclass(slots=True, eq=False, repr=False)
class FunctionText:
    """The text of a region's function, line by line with indentation.

    `depth` is how many words it reads from the stack below it, `height` how many it may push.
    `literals` are the words of PUSH20 and PUSH32 that it contains, by offset. Those at the offsets
    `varying` it reads from global names instead, `named` are those that it has read.
    `first_words` are the variables of words of memory that are read before a path has changed
    memory, by offset. A loop carries them from turn to turn if each turn ends with a known word
    there (`turns`), such as Solidity's free memory pointer when each turn moves it by 96:

        while True:                                t1 = from_bytes(load(mem, 64)[0]) if size > ...
         t1 = from_bytes(load(mem, 64)[0])         while True:
         ...                                        ...
         t2 = (t1 + 96)                             t2 = (t1 + 96)
         store(mem, 64, t2.to_bytes(32))            store(mem, 64, t2.to_bytes(32))
         continue                                   t1 = t2
                                                    continue
    """

    lines: list[tuple[int, Line]] = field(default_factory=list)
    depth: int = 0
    height: int = 0
    variables: int = 0
    constants: dict[str, object] = field(default_factory=dict)
    varying: Collection[int] = ()
    literals: dict[int, int] = field(default_factory=dict)
    named: set[int] = field(default_factory=set)
    first_words: dict[int, str] = field(default_factory=dict)
    turns: list[dict[int, str]] = field(default_factory=list)

    def new_variable(self) -> str:
        self.variables += 1
        return f"t{self.variables}"

    def bind_object(self, value: object) -> str:
        """The global name under which the function finds that Python object."""
        name = f"g{len(self.constants)}"
        self.constants[name] = value
        return name

    def name_literal(self, offset: int) -> str:
        """The global name of the word that the PUSH at an offset, one of `varying`, pushes."""
        self.named.add(offset)
        return f"i{offset}"

    def python(self, *, start: int, is_loop: bool) -> str:
        """The whole function, for the region that begins at `start`.

        It returns -2 - `start`, for the interpreter, if the stack has too few or too many words.
        """
        carried = {
            offset: name
            for offset, name in self.first_words.items()
            if is_loop and all(offset in known for known in self.turns)
        }
        body = "\n".join(
            f"{' ' * (indent + is_loop + 1)}{line}"
            for indent, written in self.lines
            for line in self.lines_of(written, carried)
        )
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
            *(f" {name} = {code}" for name, code in MESSAGE_VARIABLES.items() if _uses(body, name)),
            *(
                f" {name} = from_bytes(load(mem, {offset})[0]) if size > {offset} else 0"
                for offset, name in carried.items()
            ),
            " while True:" if is_loop else "",
        ]
        return "\n".join([*filter(None, head), body])

    def lines_of(self, line: Line, carried: Carried) -> list[str]:
        return [line] if isinstance(line, str) else line(self, carried)

    def stack(self, words: list[str], depth: int) -> str:
        """The real stack from where the function begins, with words for its top `depth` words."""
        untouched = [f"a{place}" for place in range(self.depth, depth, -1)]
        return f"[{', '.join([*untouched, *words])}]"


def charge_lines(gas: int | str) -> list[str]:
    check = "if gas < next_check: next_check = check_limits(gas)"
    return [f"gas -= {gas}", check] if gas else []


# Paths

Place = tuple[int, tuple[tuple[int, int | None], ...]]
"""Where a path passes a block: the height of the stack, the return addresses on the stack."""


class KnownWord(NamedTuple):
    """A word of memory with a known value."""

    offset: Value
    value: Value


@dataclass(slots=True, eq=False, repr=False)
class Path:
    """One path of control flow through a region, and what is known along it.

    `words` is the symbolic stack, the top last, from `depth` words below where the region began.
    `gas` is what the instructions have used that no line has charged yet. `ranges` is what the
    variables can be, `masked` the variables that have totals modulo 2**256. `reached` maps the
    variables of an offset to how many bytes after their sum the memory is known to have, `growing`
    to the line that expanded it, while nothing has read how much there is. `memory` are known
    words. `visited` are the places where it has passed each block. `instruction` is the
    one being compiled, before which the path could leave the region by `exit`.
    """

    text: FunctionText
    instruction: Instruction
    indent: int = 0
    words: list[Value] = field(default_factory=list)
    depth: int = 0
    gas: int = 0
    ranges: dict[str, Range] = field(default_factory=dict)
    masked: dict[str, Value] = field(default_factory=dict)
    reached: dict[tuple[tuple[str, int], ...], int] = field(default_factory=dict)
    growing: dict[tuple[tuple[str, int], ...], tuple[Expansion, int]] = field(default_factory=dict)
    memory: list[KnownWord] = field(default_factory=list)
    visited: dict[int, tuple[Place, ...]] = field(default_factory=dict)
    exit: Line = ""
    has_changed_memory: bool = False

    def branch(self) -> Path:
        """A copy that goes on inside an `if`."""
        self.growing = {}
        return replace(
            self,
            indent=self.indent + 1,
            words=self.words.copy(),
            ranges=self.ranges.copy(),
            masked=self.masked.copy(),
            reached=self.reached.copy(),
            growing={},
            memory=self.memory.copy(),
            visited=self.visited.copy(),
        )

    def note_exit(self) -> None:
        """Note how the path could leave the region before the instruction that begins."""
        at = -2 - self.instruction.pc
        self.exit = exit_line(at, self.words, self.depth, self.gas)

    def add_line(self, line: Line) -> None:
        self.text.lines.append((self.indent, line))

    # Gas

    def charge_computed_gas(self, price: str) -> None:
        for line in charge_lines(f"{price} + {self.gas}" if self.gas else price):
            self.add_line(line)
        self.gas = 0

    def settle_gas(self) -> None:
        """Charge what was used, so that `gas` is exact here, and fail if that is too much."""
        for line in charge_lines(self.gas):
            self.add_line(line)
        self.gas = 0
        self.growing = {}

    def gas_left(self) -> str:
        """The expression of the gas left, for a function that checks it and returns the rest."""
        used, self.gas = self.gas, 0
        self.growing = {}
        return f"gas - {used}" if used else "gas"

    # What is known about variables

    def assume(self, value: Value, *, holds: bool) -> None:
        """Go on where a word is not 0, or where it is."""
        for name, low, high in value.if_true if holds else value.if_false:
            self.narrow(name, low, high)
        if value.is_variable:
            low, high = (1, UINT_256_MAX) if holds else (0, 0)
            self.narrow(value.flag or value.code, low, high)

    def narrow(self, name: str, low: int, high: int) -> None:
        """Note that a variable is in a range, unless the path can never be taken."""
        least, greatest = self.ranges.get(name, WORD)
        found = max(low, least), min(high, greatest)
        if found[0] <= found[1]:
            self.ranges[name] = found

    def refined(self, value: Value) -> Value:
        """The word, simplified by what has become known since it was pushed."""
        if value.is_variable:
            low, high = self.ranges.get(value.flag or value.code, value.range)
            if low == high:
                return constant(low)
            return value if (low, high) == value.range else replace(value, range=(low, high))
        if value.total in self.ranges:
            low, high = self.ranges[value.total]
            if low >= 0 and high <= UINT_256_MAX:
                return variable(value.total, (low, high), value.sum)
            return self.masked.get(value.total) or replace(value, total_range=(low, high))
        if value.flag:
            for facts, number in ((value.if_true, 0), (value.if_false, 1)):
                if facts and self._is_impossible(facts):
                    return constant(number)
        return value

    def _is_impossible(self, facts: Facts) -> bool:
        return any(
            max(low, known[0]) > min(high, known[1])
            for name, low, high in facts
            if (known := self.ranges.get(name))
        )

    # Stack

    @property
    def height(self) -> int:
        """How many words more the stack has than where the region began."""
        return len(self.words) - self.depth

    def push(self, value: Value) -> None:
        if len(value.code) > MAX_EXPRESSION:
            value = self.evaluate(value)
        words, text = self.words, self.text
        words.append(value)
        text.height = max(text.height, len(words) - self.depth)

    def pop(self) -> Value:
        if not self.words:
            self.require_words(1)
        value = self.words.pop()
        return self.refined(value) if value.constant is None else value

    def pop_simple(self) -> Value:
        """Pop a word as a constant or a variable, for expressions that use it twice."""
        return self.evaluate(self.pop())

    def require_words(self, count: int) -> None:
        """Have that many words on the symbolic stack, those from below the region as `a1, a2`."""
        if len(self.words) >= count:
            return
        while len(self.words) < count:
            self.depth += 1
            self.words.insert(0, variable(f"a{self.depth}"))
        self.text.depth = max(self.text.depth, self.depth)

    def duplicate(self, place: int) -> None:
        """DUP: push the word at a place, 1 being the top.

        A total is assigned to a variable as it is: after a check for overflow it is the word.
        """
        self.require_words(place)
        value = self.refined(self.words[-place])
        if value.origin is not None and value.total:
            value = self.evaluate_total(value)
        else:
            value = self.evaluate(value)
        self.words[-place] = value
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
        name = self._assign(value.flag or value.code, value.range)
        if value.flag:
            code, total = f"(+{name})", Sum(((name, 1),))
            return replace(value, code=code, is_variable=True, flag=name, sum=total)
        if not value.total:
            return replace(variable(name, value.range, value.sum), origin=value.origin)
        found = variable(name, value.range)
        if value.total in self.ranges:
            self.masked[value.total] = found
        return found

    def evaluate_total(self, value: Value) -> Value:
        """The word, with its total in a variable if it has one of acceptable size."""
        low, high = value.total_range
        if value.total in self.ranges:
            return value
        if not value.total or max(-low, high).bit_length() > MAX_TOTAL_BITS:
            return self.evaluate(value)
        name = self._assign(value.total, value.total_range)
        code = f"({name} & {UINT_256_MAX:#x})"
        return replace(value, code=code, total=name, sum=value.sum or Sum(((name, 1),)))

    def reduce(self, value: Value) -> Value:
        """The word, reduced to 256 bits only once if its total is in a variable."""
        return self.evaluate(value) if value.total in self.ranges else value

    def assign(self, code: str, bits: int = 256) -> Value:
        """The variable to which an expression is assigned that has to be evaluated here."""
        return self.evaluate(expression(code, bits))

    def _assign(self, code: str, found: Range) -> str:
        name = self.text.new_variable()
        self.add_line(f"{name} = {code}")
        self.ranges[name] = found
        return name

    def leave(self, to: int | str) -> None:
        """Return to the interpreter, which goes on at an offset."""
        words = map(self.refined, self.words)
        self.add_line(exit_line(to, words, self.depth, self.gas))

    def write_back(self) -> None:
        """Write the stack and the gas to where the interpreter keeps them."""
        self.settle_gas()
        codes, depth = [self.refined(word).code for word in self.words], self.depth
        self.add_line(lambda text, _: [f"stack[base:] = {text.stack(codes, depth)}"])
        self.add_line("meter.gas_remaining = gas")

    # Memory

    def pop_offset(self) -> Value:
        """Pop the offset of an access to memory as a constant or a variable.

        A sum is not reduced to 256 bits: if it ends within the memory it is the offset itself.
        """
        value = self.pop()
        if value.is_simple or value.total_range[0] < 0 or not value.total:
            return self.evaluate(value)
        value = self.evaluate_total(value)
        return value if value.is_simple else variable(value.total, value.total_range, value.sum)

    def expand_memory(self, offset: Value, size: int) -> None:
        """Have `size` bytes of memory at an offset, which has to be simple."""
        total = offset.sum or Sum()
        end = total.constant + size
        if end > self.reached.get(total.terms, 0):
            self.reached[total.terms] = end
            line, reached = self.growing.get(total.terms, (None, 0))
            if line is not None:
                line.size += end - reached
            else:
                line = Expansion(offset, size, self.gas)
                if offset.maximum > UINT_256_MAX:
                    line.exit = self.exit
                self.add_line(line)
            self.growing[total.terms] = line, end
        self._narrow_offset(offset, 0)

    def _narrow_offset(self, offset: Value, low: int) -> None:
        if offset.constant is None:
            self.narrow(offset.code, low, MAX_MEMORY)
            total = offset.sum
            if total is not None and len(total.terms) == 1 and total.terms[0][1] == 1:
                name, number = total.terms[0][0], total.constant
                self.narrow(name, low - number, MAX_MEMORY - number)

    def load_word(self, offset: Value) -> Value:
        """MLOAD: a word of memory; one that is known is not read."""
        self.expand_memory(offset, WORD_SIZE)
        for known in self.memory:
            if self._distance(known.offset, offset) == (0, 0):
                return self.refined(known.value)
        number = offset.constant
        if number is None or number % WORD_SIZE or self.has_changed_memory:
            value = self.assign(f"from_bytes(load(mem, {offset.code})[0])")
        else:
            value = self._load_first_word(number)
        self.memory.append(KnownWord(offset, value))
        return value

    def _load_first_word(self, offset: int) -> Value:
        text = self.text
        name = text.first_words.get(offset) or text.new_variable()
        text.first_words[offset] = name
        load = f"{name} = from_bytes(load(mem, {offset})[0])"
        self.add_line(lambda _, carried: [] if offset in carried else [load])
        self.ranges[name] = WORD
        return variable(name)

    def store_word(self, offset: Value, value: Value) -> None:
        self.expand_memory(offset, WORD_SIZE)
        value = self.evaluate(value)
        self._keep_free_memory_pointer(offset)
        data = f"{value.code}.to_bytes(32)"
        if value.constant is not None:
            data = repr(value.constant.to_bytes(32))
        self.add_line(f"store(mem, {offset.code}, {data})")
        self.has_changed_memory = True
        self.memory = [word for word in self.memory if self._is_apart(word.offset, offset)]
        self.memory.append(KnownWord(offset, value))

    def _keep_free_memory_pointer(self, offset: Value) -> None:
        # A store behind the pointer's value compares that value: a store at it often follows.
        pointer = constant(FREE_MEMORY_POINTER)
        if offset.constant is not None:
            return
        known = [each.value for each in self.memory if each.offset.constant == FREE_MEMORY_POINTER]
        if not known or self._is_apart(pointer, offset):
            return
        free = known[0]
        if free.is_variable and self._distance(offset, free)[0] >= 0:
            offset = free
        self.add_line(f"if {offset.code} < {FREE_MEMORY_POINTER + WORD_SIZE}:")
        self.text.lines.append((self.indent + 1, self.exit))
        self._narrow_offset(offset, FREE_MEMORY_POINTER + WORD_SIZE)

    def _distance(self, one: Value, other: Value) -> Range:
        (least, greatest), (low, high) = self._range_of(one), self._range_of(other)
        total = one.sum.plus(other.sum, -1) if one.sum else None
        if total is None:
            return least - high, greatest - low
        found = total.range(self.ranges)
        return max(found[0], least - high), min(found[1], greatest - low)

    def _range_of(self, value: Value) -> Range:
        return value.range if value.constant is not None else self.ranges.get(value.code, WORD)

    def _is_apart(self, one: Value, other: Value) -> bool:
        low, high = self._distance(one, other)
        return low >= WORD_SIZE or high <= -WORD_SIZE

    def repeat(self, changed: list[tuple[str, str]]) -> None:
        """Begin the next turn of the loop, with those variables changed to those expressions."""
        known = {
            word.offset.constant: self.refined(word.value).code
            for word in self.memory
            if self.has_changed_memory and word.offset.constant is not None
        }
        if self.has_changed_memory:
            self.text.turns.append(known)

        def write(_: FunctionText, carried: Carried) -> list[str]:
            kept = [(name, known[at]) for at, name in carried.items()] if known else []
            names, codes = zip(*changed, *kept, strict=True) if changed or kept else ((), ())
            assigned = [f"{', '.join(names)} = {', '.join(codes)}"] if names else []
            return [*assigned, "continue"]

        self.add_line(write)

    def forget_memory(self) -> None:
        """Assume nothing about words of memory: it has been written to in another way."""
        self.memory = []
        self.has_changed_memory = True


def memory_slice(offset: Value, size: int) -> str:
    if offset.constant is None:
        return f"mem[{offset.code}:{offset.code} + {size}]"
    return f"mem[{offset.constant}:{offset.constant + size}]"
