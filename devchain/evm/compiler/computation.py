"""py-evm's computation, transaction executor, gas meter, stack and message for the fast engine.

They do what py-evm's own do, without validation of values that are valid by construction and
without texts for debug logs. `FastComputation.run_code` runs compiled programs. What is created
for each message: a `FastMessage`, a `FastComputation`, a `FastStack`, a `FastGasMeter`.
"""

from __future__ import annotations

from typing import Any, ClassVar, cast

from eth.abc import ComputationAPI, MessageAPI, SignedTransactionAPI
from eth.exceptions import FullStack, InsufficientStack, OutOfGas
from eth.vm.computation import BaseComputation
from eth.vm.gas_meter import GasMeter
from eth.vm.message import Message
from eth.vm.stack import Stack
from eth_utils.exceptions import ValidationError

from devchain.contracts.console import CONSOLE
from devchain.evm.compiler.instructions import STACK_LIMIT
from devchain.evm.compiler.program import ProgramCache
from devchain.evm.console_capture import record_console_call
from devchain.evm.rootstock.state import RootstockTransactionExecutor

# Objects created for each message

MESSAGE_DEFAULTS = {
    "create_address": None,
    "code_address": None,
    "depth": 0,
    "should_transfer_value": True,
    "is_static": False,
    "is_delegation": False,
    "refund": 0,
}
"""py-evm's defaults for the arguments of a message."""


class FastMessage(Message):
    """A message without validation: its values come from a checked transaction or an opcode."""

    __slots__ = ()

    def __init__(self, arguments: dict[str, Any]) -> None:
        """Set the attributes to py-evm's arguments of a message."""
        values: dict[str, Any] = MESSAGE_DEFAULTS | arguments
        self.gas, self.to, self.value = values["gas"], values["to"], values["value"]
        self.sender, self.data, self.code = values["sender"], values["data"], values["code"]
        self.depth, self.refund = values["depth"], values["refund"]
        self.storage_address = values["create_address"]
        self.code_address = values["code_address"]
        self.should_transfer_value = values["should_transfer_value"]
        self.is_static, self.is_delegation = values["is_static"], values["is_delegation"]


class FastGasMeter(GasMeter):
    """A gas meter without validation: opcodes never charge a negative amount."""

    def consume_gas(self, amount: int, reason: str) -> None:
        """Charge gas; raises `OutOfGas`."""
        if amount > self.gas_remaining:
            raise OutOfGas(
                f"Out of gas: Needed {amount} - Remaining {self.gas_remaining} - Reason: {reason}"
            )
        self.gas_remaining -= amount

    def return_gas(self, amount: int) -> None:
        """Add gas that a call has left."""
        self.gas_remaining += amount


class FastStack(Stack):
    """A stack of integers alone, which compiled code reads and writes as a list."""

    values: list[Any]

    def push_int(self, value: int) -> None:
        """Push a word; raises `FullStack`."""
        values = self.values
        if len(values) >= STACK_LIMIT:
            raise FullStack("Stack limit reached")
        values.append(value)

    def push_bytes(self, value: bytes) -> None:
        """Push a word given as bytes; raises `FullStack`."""
        self.push_int(int.from_bytes(value))

    def pop1_int(self) -> int:
        """Pop a word; raises `InsufficientStack`."""
        try:
            word: int = self.values.pop()
        except IndexError:
            raise InsufficientStack("Wanted 1 stack item, had none") from None
        return word

    def pop_ints(self, num_items: int) -> tuple[int, ...]:
        """Pop words, the top first; raises `InsufficientStack`."""
        values = self.values
        if num_items > len(values):
            raise InsufficientStack(f"Wanted {num_items} stack items, only had {len(values)}")
        popped = values[: -num_items - 1 : -1]
        del values[-num_items:]
        return tuple(popped)


# Computation


class FastComputation(BaseComputation):
    """The base class that `fast_computation` puts before py-evm's computation classes.

    `reference` is the base class of that subclass, which interprets opcode by opcode.
    """

    reference: ClassVar[Any]
    programs: ClassVar[ProgramCache]
    contracts_created: list[Any]

    def __init__(self, state: Any, message: Any, transaction_context: Any) -> None:
        """Start with an empty stack."""
        super().__init__(state, message, transaction_context)
        self._stack = FastStack()
        self.consume_gas = self._gas_meter.consume_gas  # type: ignore[method-assign]  # saves a method call per charge

    def __enter__(self) -> ComputationAPI:
        """Begin: programs check the deadline themselves."""
        return self

    def _configure_gas_meter(self) -> GasMeter:
        meter = super()._configure_gas_meter()
        return FastGasMeter(meter.start_gas, meter.refund_strategy)

    @property
    def is_success(self) -> bool:
        return self._error is None

    @property
    def is_error(self) -> bool:
        return self._error is not None

    @property
    def should_burn_gas(self) -> bool:
        """Whether there is an error that uses up all gas."""
        error: Any = self._error
        return bool(error is not None and error.burns_gas)

    @property
    def should_erase_return_data(self) -> bool:
        """Whether there is an error that leaves no output."""
        error: Any = self._error
        return bool(error is not None and error.erases_return_data)

    def prepare_child_message(
        self, gas: int, to: Any, value: int, data: Any, code: bytes, **kwargs: Any
    ) -> MessageAPI:
        """The message of a call or a creation, which its opcode has checked."""
        kwargs.setdefault("sender", self.msg.storage_address)
        depth = self.msg.depth + 1
        return FastMessage(
            {"gas": gas, "to": to, "value": value, "data": data, "code": code, "depth": depth}
            | kwargs
        )

    @classmethod
    def apply_computation(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        """Run a message's code, or its precompiled contract."""
        computation = cls(state, message, transaction_context)
        with computation:
            computation.track_creations(parent_computation)
            precompile = computation.precompiles.get(message.code_address)
            if precompile is None:
                computation.run_code()
            elif not message.is_delegation:
                precompile(computation)
        return computation

    def track_creations(self, parent: Any) -> None:
        """Share the list of this transaction's new contracts; charge for a transaction's init code.

        Since Cancun only a contract of the same transaction can be destroyed (EIP-6780).
        """
        message = self.msg
        if self.is_origin_computation:
            self.contracts_created = []
            if message.is_create:
                self.consume_initcode_gas_cost(self)
        if parent is not None:
            self.contracts_created = parent.contracts_created
        if message.is_create:
            self.contracts_created.append(message.storage_address)

    def run_code(self) -> None:
        """Run the code until it halts; raises the `VMError` that stops it."""
        code: Any = self.code
        raw = code._raw_code_bytes  # noqa: SLF001  # CodeStream has no public name for it
        if raw:
            stack: Any = self._stack
            program = self.programs.program(raw)
            program.run(self, stack.values, self._gas_meter, code.program_counter)
        elif self.msg.code_address == CONSOLE:
            record_console_call(bytes(self.msg.data))


def fast_computation(reference: Any) -> Any:
    """A subclass of a computation class that executes compiled code."""
    members = {
        "reference": reference,
        "programs": ProgramCache(reference.opcodes),
        "__module__": __name__,
    }
    return type(reference.__name__, (FastComputation, reference), members)


# Transactions


class FastTransactionExecutor(RootstockTransactionExecutor):
    """Rootstock's transaction executor, without the texts of py-evm's debug log."""

    @staticmethod
    def new_message(**arguments: Any) -> FastMessage:
        """The message of a validated transaction."""
        return FastMessage(arguments)

    def validate_transaction(self, transaction: SignedTransactionAPI) -> None:
        """Check gas, balance and nonce; its fields were checked when it was decoded or signed."""
        if transaction.gas < transaction.intrinsic_gas:
            raise ValidationError("Insufficient gas")
        self.vm_state.validate_transaction(transaction)

    def finalize_computation(
        self, transaction: SignedTransactionAPI, computation: Any
    ) -> ComputationAPI:
        """Return unused gas to the sender, pay the miner, delete destroyed contracts."""
        if computation.refusal is not None:
            return super().finalize_computation(transaction, computation)
        state = self.vm_state
        left = computation.get_gas_remaining()
        left += self.calculate_gas_refund(computation, transaction.gas - left)
        computation.data_floor_gas = 0
        state.delta_balance(transaction.sender, left * state.get_gas_price(transaction))
        state.delta_balance(state.coinbase, (transaction.gas - left) * state.get_tip(transaction))
        for address in computation.get_accounts_for_deletion():
            state.delete_account(address)
        return cast(ComputationAPI, computation)


def fast_transaction_executor(reference: Any) -> Any:
    """The fast executor for Rootstock; Ethereum's hardforks keep py-evm's."""
    is_rootstock = reference is RootstockTransactionExecutor
    return FastTransactionExecutor if is_rootstock else reference
