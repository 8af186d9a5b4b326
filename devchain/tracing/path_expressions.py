"""What a failed check computed: the end of a path, run again on expressions instead of numbers.

The recorded jumps tell which instructions ran last. They are run again on a stack of expressions
over the words that were there before, so that the condition of the last JUMPI is known as a whole,
not only as one comparison. `b - a` of uint8, compiled with `viaIR`:

    PUSH1 0xff DUP3 AND  PUSH1 0xff DUP3 AND  SUB    SUB(AND(0xff, w1), AND(0xff, w2))
    PUSH1 0xff DUP2 GT  PUSH2 .. JUMPI               GT(SUB(..), 0xff): the check that failed

Equal expressions are one node. Numbers of nodes are those of the recorded operands and of the
stack at the end, and what follows from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from eth.vm import opcode_values as op

from devchain.contracts.artifacts import Code
from devchain.tracing.opcode_step import as_int
from devchain.tracing.path_recorder import CHECKS, Path
from devchain.types import WORD_SIZE

MAX_JUMPS = 48
MAX_INSTRUCTIONS = 6_000
MAX_AHEAD = 400
"""Instructions that are run on the side of a check on which the execution did not go."""

WORDS = 1 << 256
SIGN = 1 << 255
PUSH0 = 0x5F
CONSTANT, UNKNOWN = -1, -2
"""In place of an opcode: a number, and a word of which nothing is known."""

UNARY: Mapping[int, Callable[[int], int]] = {
    op.ISZERO: lambda a: int(a == 0),
    op.NOT: lambda a: WORDS - 1 - a,
}


def signed(word: int) -> int:
    """A word as a number of two's complement."""
    return word - WORDS if word >= SIGN else word


def quotient(one: int, two: int) -> int:
    """The quotient of signed numbers, rounded towards zero."""
    if two == 0:
        return 0
    return abs(one) // abs(two) * (-1 if (one < 0) != (two < 0) else 1)


def _extended(size: int, word: int) -> int:
    if size >= WORD_SIZE - 1:
        return word
    bits = 8 * (size + 1)
    low = word % (1 << bits)
    return low - (1 << bits) if low >> (bits - 1) else low


BINARY: Mapping[int, Callable[[int, int], int]] = {
    op.ADD: lambda a, b: a + b,
    op.MUL: lambda a, b: a * b,
    op.SUB: lambda a, b: a - b,
    op.DIV: lambda a, b: a // b if b else 0,
    op.SDIV: lambda a, b: quotient(signed(a), signed(b)),
    op.MOD: lambda a, b: a % b if b else 0,
    op.SMOD: lambda a, b: signed(a) - signed(b) * quotient(signed(a), signed(b)) if b else 0,
    op.EXP: lambda a, b: pow(a, b, WORDS),
    op.SIGNEXTEND: _extended,
    op.LT: lambda a, b: int(a < b),
    op.GT: lambda a, b: int(a > b),
    op.SLT: lambda a, b: int(signed(a) < signed(b)),
    op.SGT: lambda a, b: int(signed(a) > signed(b)),
    op.EQ: lambda a, b: int(a == b),
    op.AND: lambda a, b: a & b,
    op.OR: lambda a, b: a | b,
    op.XOR: lambda a, b: a ^ b,
    op.BYTE: lambda a, b: b >> 8 * (WORD_SIZE - 1 - a) & 0xFF if a < WORD_SIZE else 0,
    op.SHL: lambda a, b: b << a if a < 256 else 0,
    op.SHR: lambda a, b: b >> a if a < 256 else 0,
    op.SAR: lambda a, b: signed(b) >> min(a, 256),
}
"""What opcodes of two operands compute, the first on top of the stack; modulo 2^256."""

EFFECTS: Mapping[int, tuple[int, int]] = (
    dict.fromkeys(range(0x30, 0x4B), (0, 1))
    | {op.ADDMOD: (3, 1), op.MULMOD: (3, 1), 0x1E: (1, 1), op.SHA3: (2, 1)}
    | dict.fromkeys((0x31, 0x35, 0x3B, 0x3F, 0x40, 0x49), (1, 1))
    | {0x37: (3, 0), 0x39: (3, 0), 0x3C: (4, 0), 0x3E: (3, 0)}
    | {0x50: (1, 0), 0x51: (1, 1), 0x52: (2, 0), 0x53: (2, 0), 0x54: (1, 1), 0x55: (2, 0)}
    | {0x58: (0, 1), 0x59: (0, 1), 0x5A: (0, 1), 0x5B: (0, 0), 0x5C: (1, 1), 0x5D: (2, 0)}
    | {0x5E: (3, 0)}
    | {0xA0 + topics: (2 + topics, 0) for topics in range(5)}
    | {0xF0: (3, 1), 0xF1: (7, 1), 0xF2: (7, 1), 0xF4: (6, 1), 0xF5: (4, 1), 0xFA: (6, 1)}
    | {op.RETURN: (2, 0), op.REVERT: (2, 0), op.STOP: (0, 0), 0xFE: (0, 0), 0xFF: (1, 0)}
)
"""How many words other opcodes take from the stack, and how many of unknown value they leave."""

Node = int


class Expressions:
    """Expressions as nodes of a graph: an opcode with its operands, a number, an unknown word."""

    def __init__(self) -> None:
        self._nodes: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], Node] = {}

    def __getitem__(self, node: Node) -> tuple[int, ...]:
        """Opcode and operands; of a number `CONSTANT` and the number."""
        return self._nodes[node]

    def constant(self, number: int) -> Node:
        return self._node(CONSTANT, number % WORDS)

    def unknown(self) -> Node:
        """A node of its own for a word of which nothing is known."""
        return self._node(UNKNOWN, len(self._nodes))

    def apply(self, opcode: int, *operands: Node) -> Node:
        """The node of an operation of `UNARY` or `BINARY`."""
        numbers = [self._nodes[each] for each in operands]
        if all(each[0] == CONSTANT for each in numbers):
            return self.constant(_compute(opcode, [each[1] for each in numbers]))
        return self._node(opcode, *operands)

    def constant_of(self, node: Node) -> int | None:
        """The number of a node that is one."""
        kind, *values = self._nodes[node]
        return values[0] if kind == CONSTANT else None

    def evaluate(self, node: Node, numbers: dict[Node, int]) -> int | None:
        """The number of a node where others have these, which grow; None if it is not settled."""
        if node in numbers:
            return numbers[node]
        kind, *operands = self._nodes[node]
        if kind == CONSTANT:
            return operands[0]
        if kind == UNKNOWN:
            return None
        found = [self.evaluate(each, numbers) for each in operands]
        known = [each for each in found if each is not None]
        if len(known) < len(found):
            return None
        numbers[node] = _compute(kind, known)
        return numbers[node]

    def parts(self, node: Node) -> Iterator[Node]:
        """A node and all that it is computed from."""
        seen: set[Node] = set()
        pending = [node]
        while pending:
            each = pending.pop()
            if each not in seen:
                seen.add(each)
                yield each
                if self._nodes[each][0] >= 0:
                    pending += self._nodes[each][1:]

    def _node(self, *content: int) -> Node:
        if content not in self._numbers:
            self._numbers[content] = len(self._nodes)
            self._nodes.append(content)
        return self._numbers[content]


def _compute(opcode: int, operands: list[int]) -> int:
    if len(operands) == 1:
        return UNARY[opcode](operands[0]) % WORDS
    return BINARY[opcode](*operands) % WORDS


@dataclass(slots=True)
class FailedCheck:
    """The JUMPI behind which nothing but a failure came.

    `operations` are operations that ran before it, the last one first, and after them those that
    would have run if it had not failed. `numbers` has the nodes whose number is known.
    """

    expressions: Expressions
    condition: Node
    is_taken: bool
    operations: list[Node]
    numbers: dict[Node, int]

    def fails(self, numbers: dict[Node, int]) -> bool | None:
        """Whether the check fails where nodes have these numbers; None if others matter too."""
        found = self.expressions.evaluate(self.condition, dict(numbers))
        return None if found is None else bool(found) == self.is_taken

    def number(self, node: Node) -> int | None:
        """What a node was in the execution; None if that is not known."""
        return self.expressions.evaluate(node, self.numbers)


def failed_check(path: Path) -> FailedCheck | None:
    """The check that a path ended behind; None if it has none, or if code and path differ."""
    jumps = list(path.jumps)[-MAX_JUMPS:]
    if not jumps:
        return None
    run = _Run(path.code_map.code)
    ends = [offset for offset, _ in jumps[1:]]
    starts = [target for _, target in jumps]
    for number, start in enumerate(starts):
        is_last = number == len(ends)
        if not run.segment(start, path.end if is_last else ends[number], is_taken=not is_last):
            return None
    numbers = _numbers(run, path)
    if run.branch is None or numbers is None:
        return None
    condition, is_taken, stack, other = run.branch
    ahead = _Run(path.code_map.code, run.expressions, list(stack))
    if other is not None:
        ahead.look_ahead(other)
    operations = dict.fromkeys([*reversed(run.operations), *ahead.operations])
    return FailedCheck(run.expressions, condition, is_taken, list(operations), numbers)


def _numbers(run: _Run, path: Path) -> dict[Node, int] | None:
    expressions = run.expressions
    found: dict[Node, int] = {}
    for (offset, operands), check in zip(reversed(run.noted), reversed(path.checks), strict=False):
        if offset != check.offset:
            return None
        found.update(zip(operands, check.operands, strict=False))
    found.update(zip(reversed(run.stack), map(as_int, reversed(path.stack)), strict=False))
    for node, number in found.items():
        constant = expressions.constant_of(node)
        if constant is not None and constant != number:
            return None
    return found


Branch = tuple[Node, bool, tuple[Node, ...], int | None]
"""A JUMPI: its condition, whether it jumped, the stack behind it, where it did not go."""


@dataclass(slots=True)
class _Run:
    """Instructions that are run on expressions."""

    code: Code
    expressions: Expressions = field(default_factory=Expressions)
    stack: list[Node] = field(default_factory=list)
    operations: list[Node] = field(default_factory=list)
    noted: list[tuple[int, tuple[Node, ...]]] = field(default_factory=list)
    branch: Branch | None = None
    count: int = 0

    def segment(self, start: int, end: int, *, is_taken: bool) -> bool:
        # The last one jumps if `is_taken`.
        offset, template = start, self.code.template
        while offset <= end < len(template) and self.count < MAX_INSTRUCTIONS:
            opcode = template[offset]
            if opcode == op.JUMP:
                self._pop()
                return is_taken and offset == end
            if opcode == op.JUMPI:
                self._branch(offset, is_taken=is_taken and offset == end)
            elif not self._step(offset):
                return False
            if offset == end:
                return True
            offset = _next(template, offset)
        return False

    def look_ahead(self, start: int) -> None:
        template, budget = self.code.template, MAX_AHEAD
        pending = [(start, list(self.stack))]
        while pending and budget:
            offset, self.stack = pending.pop()
            while offset < len(template) and budget:
                budget -= 1
                opcode = template[offset]
                target = None
                if opcode in {op.JUMP, op.JUMPI}:
                    target = self.expressions.constant_of(self._pop())
                if opcode == op.JUMPI:
                    self._pop()
                    if target is not None:
                        pending.append((target, list(self.stack)))
                elif opcode == op.JUMP:
                    if target is None:
                        break
                    offset = target
                    continue
                elif not self._step(offset) or opcode in {op.RETURN, op.REVERT, op.STOP, 0xFE}:
                    break
                offset = _next(template, offset)

    def _branch(self, offset: int, *, is_taken: bool) -> None:
        target, condition = self.expressions.constant_of(self._pop()), self._pop()
        other = _next(self.code.template, offset) if is_taken else target
        self.branch = (condition, is_taken, tuple(self.stack), other)

    def _step(self, offset: int) -> bool:
        template, opcode = self.code.template, self.code.template[offset]
        self.count += 1
        if PUSH0 <= opcode <= op.PUSH32:
            self._push(offset, opcode - PUSH0)
        elif op.DUP1 <= opcode <= op.DUP16:
            self._reach(opcode - op.DUP1 + 1)
            self.stack.append(self.stack[op.DUP1 - opcode - 1])
        elif op.SWAP1 <= opcode <= op.SWAP16:
            depth = opcode - op.SWAP1 + 2
            self._reach(depth)
            self.stack[-1], self.stack[-depth] = self.stack[-depth], self.stack[-1]
        elif opcode in BINARY or opcode in UNARY:
            operands = tuple(self._pop() for _ in range(1 if opcode in UNARY else 2))
            self._note(offset, opcode, operands)
            node = self.expressions.apply(opcode, *operands)
            self.stack.append(node)
            self.operations.append(node)
        elif opcode in EFFECTS:
            taken, left = EFFECTS[template[offset]]
            self._note(offset, opcode, tuple(self._pop() for _ in range(taken)))
            self.stack += (self.expressions.unknown() for _ in range(left))
        else:
            return False
        return True

    def _note(self, offset: int, opcode: int, operands: tuple[Node, ...]) -> None:
        if opcode in CHECKS:
            self.noted.append((offset, operands))

    def _push(self, offset: int, size: int) -> None:
        first, end = offset + 1, offset + 1 + size
        if any(start < end and first < start + count for start, count in self.code.placeholders):
            self.stack.append(self.expressions.unknown())
        else:
            number = int.from_bytes(self.code.template[first:end], "big")
            self.stack.append(self.expressions.constant(number))

    def _reach(self, depth: int) -> None:
        while len(self.stack) < depth:
            self.stack.insert(0, self.expressions.unknown())

    def _pop(self) -> Node:
        self._reach(1)
        return self.stack.pop()


def _next(template: bytes, offset: int) -> int:
    opcode = template[offset]
    return offset + 1 + (opcode - PUSH0 if PUSH0 <= opcode <= op.PUSH32 else 0)
