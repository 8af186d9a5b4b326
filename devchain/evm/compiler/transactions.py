"""py-evm's messages, gas meter and stack without what they check and log for those who debug it."""

from __future__ import annotations

from typing import Any

from eth.abc import ComputationAPI, SignedTransactionAPI
from eth.exceptions import FullStack, InsufficientStack, OutOfGas
from eth.vm.gas_meter import GasMeter
from eth.vm.message import Message
from eth.vm.stack import Stack

from devchain.evm.rootstock.exceptions import PrecompileFailed
from devchain.evm.rootstock.state import RootstockTransactionExecutor

LIMIT = 1_024
"""How many words the stack may have."""


DEFAULTS = {
    "create_address": None,
    "code_address": None,
    "depth": 0,
    "should_transfer_value": True,
    "is_static": False,
    "is_delegation": False,
    "refund": 0,
}
"""What py-evm takes for the arguments of a message that are not given."""


class LeanMessage(Message):
    """A message that its maker has checked."""

    __slots__ = ()

    def __init__(self, given: dict[str, Any]) -> None:
        """Take py-evm's arguments of a message as they are, with its defaults."""
        own: dict[str, Any] = DEFAULTS | given
        self.gas, self.to, self.value = own["gas"], own["to"], own["value"]
        self.sender, self.data, self.code = own["sender"], own["data"], own["code"]
        self.depth, self.refund = own["depth"], own["refund"]
        self.storage_address, self.code_address = own["create_address"], own["code_address"]
        self.should_transfer_value = own["should_transfer_value"]
        self.is_static, self.is_delegation = own["is_static"], own["is_delegation"]


class LeanMeter(GasMeter):
    """Counts gas; opcodes never ask for less than none."""

    def consume_gas(self, amount: int, reason: str) -> None:
        """Take gas; raises `OutOfGas`."""
        if amount > self.gas_remaining:
            msg = f"Out of gas: Needed {amount} - Remaining {self.gas_remaining} - Reason: {reason}"
            raise OutOfGas(msg)
        self.gas_remaining -= amount

    def return_gas(self, amount: int) -> None:
        """Give gas back."""
        self.gas_remaining += amount


class LeanStack(Stack):
    """A stack of integers alone, so that compiled code finds nothing else there."""

    values: list[Any]

    def push_int(self, value: int) -> None:
        """Push a word; raises `FullStack`."""
        values = self.values
        if len(values) >= LIMIT:
            msg = "Stack limit reached"
            raise FullStack(msg)
        values.append(value)

    def push_bytes(self, value: bytes) -> None:
        """Push the bytes of a word; raises `FullStack`."""
        self.push_int(int.from_bytes(value))

    def pop1_int(self) -> int:
        """Take a word; raises `InsufficientStack`."""
        try:
            word: int = self.values.pop()
        except IndexError:
            msg = "Wanted 1 stack item, had none"
            raise InsufficientStack(msg) from None
        return word

    def pop_ints(self, num_items: int) -> tuple[int, ...]:
        """Take words, the top first; raises `InsufficientStack`."""
        values = self.values
        if num_items > len(values):
            msg = f"Wanted {num_items} stack items, only had {len(values)}"
            raise InsufficientStack(msg)
        taken = values[: -num_items - 1 : -1]
        del values[-num_items:]
        return tuple(taken)


class FastExecutor(RootstockTransactionExecutor):
    """Does what py-evm's does, without the texts that it makes for its debug log each time."""

    @staticmethod
    def new_message(**given: Any) -> LeanMessage:
        """The message that begins a transaction; what it is made of has been checked before."""
        return LeanMessage(given)

    def finalize_computation(
        self, transaction: SignedTransactionAPI, computation: ComputationAPI
    ) -> ComputationAPI:
        """Pay the sender what is left, the miner the fee; delete what was destroyed."""
        if computation.is_error and isinstance(computation.error, PrecompileFailed):
            return super().finalize_computation(transaction, computation)
        state = self.vm_state
        left = computation.get_gas_remaining()
        left += self.calculate_gas_refund(computation, transaction.gas - left)
        computation.data_floor_gas = 0
        state.delta_balance(transaction.sender, left * state.get_gas_price(transaction))
        state.delta_balance(state.coinbase, (transaction.gas - left) * state.get_tip(transaction))
        for address in computation.get_accounts_for_deletion():
            state.delete_account(address)
        return computation


def fast_executor(kind: Any) -> Any:
    """The fast one where transactions are Rootstock's; Ethereum's forks keep their own."""
    return FastExecutor if kind is RootstockTransactionExecutor else kind
