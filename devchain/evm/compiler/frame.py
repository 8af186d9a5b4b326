"""What is created for each message: a message, and the stack, memory, gas meter and code stream.

They are py-evm's own without validation of values that are valid by construction.
"""

from __future__ import annotations

from typing import Any

from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.exceptions import FullStack, InsufficientStack, OutOfGas
from eth.vm.code_stream import CodeStream
from eth.vm.gas_meter import GasMeter
from eth.vm.memory import Memory
from eth.vm.message import Message
from eth.vm.stack import Stack

from devchain.evm.compiler.instructions import STACK_LIMIT
from devchain.evm.rootstock.opcodes import contract_address


class FastMessage(Message):
    """A message without validation: its values come from a checked transaction or an opcode.

    What py-evm computes at each access is computed once: its properties are attributes here.
    """

    __slots__ = ("code_address", "is_create", "is_delegation", "storage_address")

    def __init__(  # noqa: PLR0913, PLR0917  # py-evm's arguments
        self,
        gas: int,
        to: Any,
        sender: Any,
        value: int,
        data: Any,
        code: bytes,
        depth: int = 0,
        create_address: Any = None,
        code_address: Any = None,
        should_transfer_value: bool = True,  # noqa: FBT001, FBT002
        is_static: bool = False,  # noqa: FBT001, FBT002
        is_delegation: bool = False,  # noqa: FBT001, FBT002
        refund: int = 0,
    ) -> None:
        self.gas, self.to, self.value = gas, to, value
        self.sender, self.data, self.code = sender, data, code
        self.depth, self.refund = depth, refund
        self.storage_address = to if create_address is None else create_address
        self.code_address = to if code_address is None else code_address
        self.should_transfer_value = should_transfer_value
        self.is_static, self.is_delegation = is_static, is_delegation
        self.is_create = to == CREATE_CONTRACT_ADDRESS  # type: ignore[misc]  # a property of py-evm's

    @classmethod
    def of(
        cls, tx: Any, nonce: int, code: bytes, refund: int = 0, *, is_delegation: bool = False
    ) -> FastMessage:
        """The message of a transaction of that nonce to that code; a creation runs its data."""
        data, created = tx.data, None
        if tx.to == CREATE_CONTRACT_ADDRESS:
            created = contract_address(tx.sender, nonce)
            code, data = data, b""
        return cls(
            gas=tx.gas - tx.intrinsic_gas,
            to=tx.to,
            sender=tx.sender,
            value=tx.value,
            data=data,
            code=code,
            create_address=created,
            is_delegation=is_delegation,
            refund=refund,
        )


class FastGasMeter(GasMeter):
    """A gas meter without validation: opcodes never charge a negative amount."""

    def __init__(self, start_gas: int, refund_strategy: Any) -> None:
        self.start_gas = self.gas_remaining = start_gas
        self.refund_strategy = refund_strategy
        self.gas_refunded = 0

    def consume_gas(self, amount: int, reason: str) -> None:
        if amount > self.gas_remaining:
            raise OutOfGas(
                f"Out of gas: Needed {amount} - Remaining {self.gas_remaining} - Reason: {reason}"
            )
        self.gas_remaining -= amount

    def return_gas(self, amount: int) -> None:
        self.gas_remaining += amount


class FastCodeStream(CodeStream):
    """A code stream without validation; programs have the positions that jumps may go to."""

    __slots__ = ()

    def __init__(self, code_bytes: bytes) -> None:
        self.program_counter = 0
        self._raw_code_bytes = code_bytes
        self._length_cache = len(code_bytes)


class FastMemory(Memory):
    """A memory that is written without validation of what opcodes have extended it for."""

    def write(self, start_position: int, size: int, value: bytes) -> None:
        memory = self._bytes
        if len(value) == size and start_position + size <= len(memory):
            memory[start_position : start_position + size] = value
        else:
            super().write(start_position, size, value)


class FastStack(Stack):
    """A stack of integers alone, which compiled code reads and writes as a list."""

    values: list[Any]

    def __init__(self) -> None:
        self.values = []

    def push_int(self, value: int) -> None:
        values = self.values
        if len(values) >= STACK_LIMIT:
            raise FullStack("Stack limit reached")
        values.append(value)

    def push_bytes(self, value: bytes) -> None:
        self.push_int(int.from_bytes(value))

    def pop1_int(self) -> int:
        try:
            word: int = self.values.pop()
        except IndexError:
            raise InsufficientStack("Wanted 1 stack item, had none") from None
        return word

    def pop_ints(self, num_items: int) -> tuple[int, ...]:
        values = self.values
        if num_items > len(values):
            raise InsufficientStack(f"Wanted {num_items} stack items, only had {len(values)}")
        popped = values[: -num_items - 1 : -1]
        del values[-num_items:]
        return tuple(popped)

    def pop1_any(self) -> int:
        return self.pop1_int()

    def dup(self, position: int) -> None:
        values = self.values
        if position > len(values):
            raise InsufficientStack(f"Insufficient stack items for DUP{position}")
        self.push_int(values[-position])
