"""Opcodes: one step of an execution, with operands, gas cost and error; code as a list of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eth._utils.address import force_bytes_to_address
from eth.exceptions import VMError
from eth.vm.gas_meter import GasMeter
from eth.vm.logic.invalid import InvalidOpcode

from devchain.evm.opcodes import CREATES, OPCODES, Op, name_of, walk
from devchain.evm.rootstock.opcodes import StaticCallWithValue
from devchain.types import WORD_SIZE, Address

PAYING = frozenset({Op.CALL, Op.CALLCODE})
DEEPEST_OPERAND = 7


class RecordingGasMeter(GasMeter):
    """A gas meter that counts what was charged, even if it could not be paid."""

    spent = 0
    last_consumed = 0
    last_returned = 0

    def consume_gas(self, amount: int, reason: str) -> None:
        self.spent += amount
        self.last_consumed = amount
        super().consume_gas(amount, reason)

    def return_gas(self, amount: int) -> None:
        self.last_returned = amount
        super().return_gas(amount)


class OpcodeTracer:
    """A tracer that is called at some opcodes, at all if `opcodes` is None, and at messages."""

    opcodes: frozenset[int] | None = None

    def entered(self, state: Any, message: Any) -> None:
        """Called before a message runs."""

    def before_payment(self, state: Any, receiver: Address) -> None:
        """Called before a precompiled contract pays an account without a message."""

    def before(self, step: OpcodeStep) -> None:
        """Called before an opcode runs."""

    def after(self, step: OpcodeStep) -> None:
        """Called when the opcode has run or failed."""


class OpcodeStep:
    """An opcode of one computation, with the top of the stack before it.

    `cost` is what geth calls the gas cost: with the gas given to a call, without the gas given to
    a creation. `refund` is the transaction's refund counter before it, `frame` the `Frame` that it
    runs in.
    """

    def __init__(
        self, opcode: int, function: Any, computation: Any, refund: int, frame: object
    ) -> None:
        self.frame = frame
        self.opcode = opcode
        self.function = function
        self.computation = computation
        self.refund = refund
        self.meter: RecordingGasMeter = computation.get_gas_meter()
        self.gas = self.meter.gas_remaining
        code = computation.code
        self.pc = code.program_counter - 1
        if opcode == Op.STOP and not (code.is_valid_opcode(self.pc) and code[self.pc] == Op.STOP):
            self.pc += 1  # the end of the code
        self.stack = computation.whole_stack()[-DEEPEST_OPERAND:]
        self.cost = 0
        self.child_gas = 0
        self.has_frame = False
        self.error: VMError | None = None
        self._spent_before = self.meter.spent
        self.balance = 0
        if opcode in CREATES or opcode == Op.SELFDESTRUCT:
            self.balance = computation.state.get_balance(computation.msg.storage_address)

    def finish(self) -> None:
        self.cost = self.meter.spent - self._spent_before
        if self.opcode in CREATES:
            self.cost -= self.child_gas

    @property
    def callee(self) -> Address:
        return as_address(self.stack[-2])

    @property
    def value(self) -> int | None:
        """The value of a call or a creation, in wei; a delegate call has its caller's value."""
        if self.opcode in CREATES:
            return as_int(self.stack[-1])
        if self._takes_value:
            return as_int(self.stack[-3])
        return int(self.computation.msg.value) if self.opcode == Op.DELEGATECALL else None

    @property
    def input_area(self) -> tuple[int, int]:
        """Where in memory a call's input, or a creation's init code, starts, and its size."""
        start = -2 if self.opcode in CREATES else -3
        start -= self._takes_value
        return as_int(self.stack[start]), as_int(self.stack[start - 1])

    @property
    def _takes_value(self) -> bool:
        return self.opcode in PAYING or isinstance(self.function, StaticCallWithValue)

    @property
    def mnemonic(self) -> str:
        return mnemonic(self.opcode, self.function)


def mnemonic(opcode: int, function: Any) -> str:
    """The name of an opcode under the rules in which that function runs it."""
    own: str = getattr(function, "mnemonic", "")
    if own == InvalidOpcode.mnemonic:
        return name_of(opcode)
    known = OPCODES.get(opcode)
    return own if known is None else known.name


def as_int(word: int | bytes) -> int:
    return word if isinstance(word, int) else int.from_bytes(word, "big")


def as_address(word: int | bytes) -> Address:
    raw = word.to_bytes(WORD_SIZE, "big") if isinstance(word, int) else word
    return force_bytes_to_address(raw)


@dataclass(frozen=True, slots=True)
class Instruction:
    """An opcode of a contract's code; `operand` is that of a PUSH, as far as the code has it."""

    offset: int
    name: str
    operand: bytes = b""


def disassemble(code: bytes, vm_class: Any) -> Iterator[Instruction]:
    """The opcodes of code in order, by their names under the rules of that VM.

    Data behind the code (metadata, immutables of Vyper) is read as if it were opcodes too.
    """
    functions = vm_class.get_state_class().computation_class.opcodes
    for offset, opcode, operand in walk(code):
        function = functions.get(opcode)
        name = name_of(opcode) if function is None else mnemonic(opcode, function)
        yield Instruction(offset, name, operand)
