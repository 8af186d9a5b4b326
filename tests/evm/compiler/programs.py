"""Random programs: expressions, memory, storage, loops, functions, calls, creations.

Some shapes are those of compilers: arithmetic with checks for overflow, counted loops in loops,
internal functions with arguments, memory behind a free memory pointer, arrays sorted in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random

from eth.vm import opcode_values as op

SELF = 0xC0
HELPERS = (0xA1, 0xA2, 0xA3)
"""Accounts with code: one returns, one reverts, one burns all its gas."""
CALLEES = (*HELPERS, SELF, 2, 4, 0xE0)
NUMBERS = (0, 1, 2, 3, 31, 32, 33, 64, 255, 256, 2**31, 2**64, 2**128 - 1, 2**255, 2**256 - 1)
UNARY = (op.ISZERO, op.NOT)
BINARY = (
    *(op.ADD, op.MUL, op.SUB, op.DIV, op.SDIV, op.MOD, op.SMOD, op.EXP, op.SIGNEXTEND),
    *(op.LT, op.GT, op.SLT, op.SGT, op.EQ, op.AND, op.OR, op.XOR, op.BYTE),
    *(op.SHL, op.SHR, op.SAR, op.ADD, op.SUB, op.LT, op.AND),
)
TERNARY = (op.ADDMOD, op.MULMOD)
READING = (
    *(op.ADDRESS, op.ORIGIN, op.CALLER, op.CALLVALUE, op.CALLDATASIZE, op.CODESIZE, op.GASPRICE),
    *(op.RETURNDATASIZE, op.COINBASE, op.TIMESTAMP, op.NUMBER, op.DIFFICULTY, op.GASLIMIT),
    *(op.CHAINID, op.SELFBALANCE, op.BASEFEE, op.PC, op.MSIZE, op.GAS, op.PUSH0),
)
LOOKING_UP = (op.BALANCE, op.EXTCODESIZE, op.EXTCODEHASH, op.BLOCKHASH)
COPYING = (op.CALLDATACOPY, op.CODECOPY, op.MCOPY, op.RETURNDATACOPY)
CALLING = (op.CALL, op.CALLCODE, op.DELEGATECALL, op.STATICCALL)


class RandomProgram:
    """A random program in `code`, mostly of the opcodes that are known."""

    def __init__(self, rng: Random, known: Collection[int], size: int = 8) -> None:
        self._rng = rng
        self._known = known
        self.code = bytearray()
        self._functions: list[list[int]] = [[] for _ in range(2)]
        self._computing: list[list[int]] = [[] for _ in range(2)]
        self._panics: list[int] = []
        self._labels: list[int] = []
        if rng.random() < 0.5:
            self.push(rng.choice((128, 128, 128, 128, 0, 33, 80, 2**64, 2**256 - 32, 2**256 - 70)))
            self.push(64)
            self.emit(op.MSTORE)
        for number in range(8):
            self.push(number)
        for _ in range(rng.randint(1, size)):
            self.statement(2)
        self.ending()
        for places in self._functions:
            self._function(places)
        for places in self._computing:
            self._computing_function(places)
        self.label(*self._panics)
        self.push(rng.choice((0, 0, 36)))
        self.push(0)
        self.emit(op.REVERT)

    # Instructions

    def emit(self, *opcodes: int) -> None:
        self.code += bytes(opcodes)

    def write(self, text: str) -> None:
        """Add opcodes by name, and numbers to push."""
        for word in text.split():
            if word.isdigit():
                self.push(int(word))
            else:
                self.emit(getattr(op, word))

    def one_of(self, opcodes: Sequence[int]) -> None:
        known = [opcode for opcode in opcodes if opcode in self._known]
        self.emit(self._rng.choice(opcodes if self._rng.random() < 0.01 else known or [op.POP]))

    def push(self, number: int) -> None:
        """Push a number, sometimes with more bytes than it needs."""
        size = max(1, (number.bit_length() + 7) // 8)
        size = min(32, size + self._rng.choice((0, 0, 0, 1, 5)))
        self.emit(op.PUSH1 + size - 1, *number.to_bytes(size, "big"))

    def push_label(self) -> int:
        """Push a placeholder of a code offset; the position of the placeholder."""
        self.emit(op.PUSH1 + 1, 0, 0)
        return len(self.code) - 2

    def label(self, *offsets: int) -> None:
        """Add a JUMPDEST and write its offset into those placeholders."""
        self._labels.append(len(self.code))
        for offset in offsets:
            self.code[offset : offset + 2] = len(self.code).to_bytes(2, "big")
        self.emit(op.JUMPDEST)

    def small(self) -> None:
        """Push an offset or a size: known, or from the call data; rarely a huge one."""
        rng = self._rng
        if rng.random() < 0.2:
            self.push(0x7F)
            self.push(rng.choice((0, 4, 32)))
            self.emit(op.CALLDATALOAD, op.AND)
            return
        self.push(rng.choice((0, 1, 4, 31, 32, 33, 64, 96, 200, rng.randint(0, 500))))
        if rng.random() < 0.01:
            self.push(rng.choice(NUMBERS))
            self.emit(op.ADD)

    # Expressions push one word

    def expression(self, depth: int) -> None:
        self._rng.choice(NESTED if depth > 0 else FLAT)(self, depth - 1)

    def number(self, _: int) -> None:
        rng = self._rng
        self.push(rng.choice((*NUMBERS, rng.getrandbits(256), rng.randint(0, 300))))

    def reading(self, _: int) -> None:
        self.one_of(READING)

    def argument(self, _: int) -> None:
        self.push(self._rng.choice((0, 4, 32, 36, 2**256 - 1, self._rng.randint(0, 70))))
        self.emit(op.CALLDATALOAD)

    def duplicate(self, _: int) -> None:
        self.emit(op.DUP1 + self._rng.choice((0, 0, 0, 1, 1, 2, 3, 7)))

    def unary(self, depth: int) -> None:
        self.expression(depth)
        self.one_of(UNARY)

    def binary(self, depth: int) -> None:
        self.expression(depth)
        self.expression(depth)
        self.one_of(BINARY)

    def ternary(self, depth: int) -> None:
        for _ in range(3):
            self.expression(depth)
        self.one_of(TERNARY)

    def loaded(self, _: int) -> None:
        self.small()
        self.emit(op.MLOAD)

    def stored(self, _: int) -> None:
        self.push(self._rng.randint(0, 3))
        self.one_of((op.SLOAD, op.SLOAD, op.TLOAD))

    def hashed(self, _: int) -> None:
        self.small()
        self.small()
        self.emit(op.SHA3)

    def checked(self, depth: int) -> None:
        """Arithmetic with a check for overflow, as Solidity writes it, or almost."""
        rng = self._rng
        self.expression(min(depth, 1))
        self.expression(min(depth, 1))
        again = rng.choice((4, 4, 4, 4, 3))  # DUP4 is the second operand, on the stack below
        start, *checks = rng.choice(
            (
                ("DUP2 DUP2 ADD", f"DUP1 DUP{again} GT", f"DUP{again - 1} DUP2 LT"),
                ("DUP1 DUP3 SUB", f"DUP{again - 1} DUP2 GT", f"DUP1 DUP{again} LT"),
                (
                    f"DUP2 DUP2 MUL DUP3 ISZERO DUP{again} DUP3 DIV DUP4 EQ",
                    f"{'POP' if rng.random() < 0.1 else 'OR'} ISZERO",
                ),
            )
        )
        self.write(f"{start} {rng.choice(checks)}")
        if rng.random() < 0.5:
            self._panics.append(self.push_label())
            self.emit(op.JUMPI)
        else:
            self.emit(op.ISZERO)
            offset = self.push_label()
            self.emit(op.JUMPI)
            self._panics.append(self.push_label())
            self.emit(op.JUMP)
            self.label(offset)
        self.write("SWAP2 POP POP")

    def computed(self, depth: int) -> None:
        back = self.push_label()
        self.expression(depth)
        self._rng.choice(self._computing).append(self.push_label())
        self.emit(op.JUMP)
        self.label(back)

    def _computing_function(self, offsets: list[int]) -> None:
        self.label(*offsets)
        self.checked(0)
        if self._rng.random() < 0.3:
            self.checked(0)
            self.emit(op.ADD)
        self.write("SWAP2 SWAP1 POP JUMP")

    def looked_up(self, _: int) -> None:
        self.push(self._rng.choice((*CALLEES, 0, 1)))
        self.one_of(LOOKING_UP)

    # Statements leave the height of the stack unchanged, mostly

    def statement(self, depth: int) -> None:
        self._rng.choice(COMPOUND if depth > 0 else SIMPLE)(self, depth - 1)

    def store_word(self, _: int) -> None:
        self.expression(2)
        self.small()
        self.one_of((op.MSTORE, op.MSTORE, op.MSTORE8))

    def store_slot(self, _: int) -> None:
        self.expression(2)
        self.push(self._rng.randint(0, 3))
        self.one_of((op.SSTORE, op.SSTORE, op.TSTORE))

    def copy(self, _: int) -> None:
        self.small()
        self.push(self._rng.choice((0, 0, 0, 3, 40)))
        self.small()
        self.one_of(COPYING)

    def log(self, _: int) -> None:
        topics = self._rng.randint(0, 4)
        for _ in range(topics):
            self.expression(1)
        self.small()
        self.small()
        self.emit(op.LOG0 + topics)

    def drop(self, _: int) -> None:
        self.expression(2)
        self.emit(op.POP)

    def shuffle(self, _: int) -> None:
        self.expression(1)
        self.expression(1)
        self.emit(op.SWAP1 + self._rng.choice((0, 0, 1, 2, 5)), op.POP, op.POP)

    def any_opcode(self, _: int) -> None:
        self.emit(self._rng.randint(0, 255) if self._rng.random() < 0.05 else op.JUMPDEST)

    # Control flow

    def branch(self, depth: int) -> None:
        self.expression(2)
        offset = self.push_label()
        self.emit(op.JUMPI)
        for _ in range(self._rng.randint(0, 2)):
            self.statement(depth)
        if self._rng.random() < 0.2:
            self.ending()
        self.label(offset)

    def loop(self, depth: int) -> None:
        rng = self._rng
        self.push(rng.choice((1, 2, 5, 12)))
        top = len(self.code)
        self.label()
        for _ in range(rng.randint(1, 3)):
            self.statement(depth)
        self.write(f"1 SWAP1 SUB DUP1 {top} JUMPI POP")

    def counted_loop(self, depth: int) -> None:
        """A loop that counts up to a number, often one in the call data."""
        rng = self._rng
        if rng.random() < 0.5:
            self.write(f"15 {rng.choice((0, 4, 32))} CALLDATALOAD AND")
        else:
            self.push(rng.choice((1, 3, 9)))
        self.push(rng.choice((0, 0, 1)))
        top = len(self.code)
        self.label()
        self.write(rng.choice(("DUP2 DUP2 LT ISZERO", "DUP1 DUP3 GT ISZERO")))
        end = self.push_label()
        self.emit(op.JUMPI)
        for _ in range(rng.randint(1, 2)):
            self.statement(depth)
        self.write(f"1 ADD {top} JUMP")
        self.label(end)
        self.write("POP POP")

    def allocate(self, _: int) -> None:
        """Words behind the free memory pointer, which is moved, and their hash."""
        rng = self._rng
        words = rng.randint(1, 3)
        self.write("64 MLOAD")
        for number in range(words):
            self.expression(1)
            self.write(f"DUP2 {32 * number} ADD")
            self.emit(rng.choice((op.MSTORE, op.MSTORE, op.MSTORE, op.MSTORE8)))
        self.write(f"{32 * words} DUP2 ADD 64 MSTORE")
        if rng.random() < 0.3:
            self.write(rng.choice(("MSIZE POP", "GAS POP")))
        self.write(f"{32 * words} 64 MLOAD")
        self.write(rng.choice(("SUB", "POP DUP1")))
        self.write(f"{32 * words} SWAP1 SHA3 XOR")
        self.small()
        self.emit(op.MSTORE)

    def sort(self, _: int) -> None:
        """Two loops that sort words in memory, behind a known offset or the free memory pointer."""
        rng = self._rng
        self.write(rng.choice(("64 MLOAD", "0", "32", "96", "100")))
        words = rng.randint(2, 5)
        for number in range(words):
            self.expression(1)
            self.write(f"DUP2 {32 * number} ADD MSTORE")
        self.push(words)
        outer = len(self.code)
        self.label()
        self.push(0)  # base, rounds left, place
        inner = len(self.code)
        self.label()
        # base, rounds, place, offset, next word, this word
        self.write("DUP1 5 SHL DUP4 ADD DUP1 32 ADD MLOAD DUP2 MLOAD DUP2 DUP2 GT ISZERO")
        keep = self.push_label()
        self.write("JUMPI DUP2 DUP4 MSTORE DUP1 DUP4 32 ADD MSTORE")
        self.label(keep)
        self.write(f"POP POP POP 1 ADD DUP1 {words - 1} GT {inner} JUMPI POP")
        self.write(f"1 SWAP1 SUB DUP1 {outer} JUMPI POP POP")

    def call_function(self, _: int) -> None:
        back = self.push_label()
        self._rng.choice(self._functions).append(self.push_label())
        self.emit(op.JUMP)
        self.label(back)

    def _function(self, offsets: list[int]) -> None:
        self.label(*offsets)
        self.statement(0)
        self.emit(op.JUMP)

    def jump_anywhere(self, _: int) -> None:
        rng = self._rng
        self.expression(1)
        anywhere = rng.random() < 0.2 or not self._labels
        self.push(rng.randint(0, len(self.code) + 20) if anywhere else rng.choice(self._labels))
        self.emit(rng.choice((op.JUMP, op.JUMPI, op.JUMPI, op.JUMPI)))

    def ending(self) -> None:
        rng = self._rng
        kind = rng.randint(0, 9)
        if kind <= 5:
            self.small()
            self.small()
            self.emit(rng.choice((op.RETURN, op.RETURN, op.REVERT)))
        elif kind == 6:
            self.emit(op.STOP)
        elif kind == 7:
            self.emit(0xFE if rng.random() < 0.2 else op.STOP)
        elif kind == 8:
            self.push(rng.choice(CALLEES))
            self.emit(op.SELFDESTRUCT)

    # Other contracts

    def call(self, _: int) -> None:
        rng = self._rng
        kind = rng.choice([each for each in CALLING if each in self._known])
        for _ in range(4):
            self.small()
        if kind in {op.CALL, op.CALLCODE}:
            self.push(rng.choice((0, 0, 0, 1, 2**200)))
        self.push(rng.choice(CALLEES))
        self.push(rng.choice((0, 700, 3_000, 30_000, 2**64, 2**256 - 1)))
        self.emit(kind)

    def create(self, _: int) -> None:
        rng = self._rng
        kind = rng.choice((op.CREATE, op.CREATE2 if op.CREATE2 in self._known else op.CREATE))
        if kind == op.CREATE2:
            self.push(rng.randint(0, 2))
        self.push(rng.choice((0, 4, 32, 60)))
        self.push(rng.choice((0, 28, 31)))
        self.push(rng.choice((0, 0, 1)))
        self.emit(kind)


_D = RandomProgram
FLAT = (_D.number, _D.number, _D.reading, _D.argument, _D.duplicate)
NESTED = (
    *(*FLAT, _D.unary, _D.binary, _D.binary, _D.binary, _D.binary, _D.ternary),
    *(_D.loaded, _D.stored, _D.hashed, _D.looked_up, _D.call),
    *(_D.checked, _D.checked, _D.computed),
)
SIMPLE = (
    *(_D.store_word, _D.store_word, _D.store_word, _D.store_slot, _D.store_slot, _D.copy),
    *(_D.log, _D.drop, _D.expression, _D.shuffle, _D.any_opcode),
)
COMPOUND = (
    *(*SIMPLE, _D.branch, _D.branch, _D.branch, _D.loop, _D.loop, _D.loop, _D.call_function),
    *(_D.create, _D.jump_anywhere, _D.counted_loop, _D.counted_loop, _D.allocate, _D.sort),
)


def random_program(rng: Random, known: Collection[int]) -> bytes:
    """A program: well formed, with a few bytes changed, or random bytes."""
    if rng.random() < 0.05:
        return bytes(rng.randint(0, 255) for _ in range(rng.randint(0, 60)))
    code = RandomProgram(rng, known).code
    if rng.random() < 0.15:
        for _ in range(rng.randint(1, 3)):
            code[rng.randrange(len(code))] = rng.randint(0, 255)
    return bytes(code)
