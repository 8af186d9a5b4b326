"""How the fast engine executes one message: what py-evm does, without what it does for nobody."""

from __future__ import annotations

from typing import Any, ClassVar

from eth.abc import MessageAPI
from eth.vm.computation import BaseComputation
from eth.vm.gas_meter import GasMeter

from devchain.contracts.console import CONSOLE
from devchain.evm.compiler.program import Programs
from devchain.evm.compiler.transactions import LeanMessage, LeanMeter, LeanStack
from devchain.evm.console import say


class FastComputation(BaseComputation):
    """What `fast_computation` puts in front of a computation class."""

    reference: ClassVar[Any]
    programs: ClassVar[Programs]
    contracts_created: list[Any]

    def __init__(self, state: Any, message: Any, transaction_context: Any) -> None:
        """Start with an empty stack."""
        super().__init__(state, message, transaction_context)
        self._stack = LeanStack()
        self.consume_gas = self._gas_meter.consume_gas  # type: ignore[method-assign]  # one call less

    def _configure_gas_meter(self) -> GasMeter:
        meter = super()._configure_gas_meter()
        return LeanMeter(meter.start_gas, meter.refund_strategy)

    @property
    def is_success(self) -> bool:
        """Whether nothing has stopped it."""
        return self._error is None

    @property
    def is_error(self) -> bool:
        """Whether something has stopped it."""
        return self._error is not None

    @property
    def should_burn_gas(self) -> bool:
        """Whether it was stopped by something that costs all the gas it had."""
        error: Any = self._error
        return bool(error is not None and error.burns_gas)

    @property
    def should_erase_return_data(self) -> bool:
        """Whether it was stopped by something that leaves no output."""
        error: Any = self._error
        return bool(error is not None and error.erases_return_data)

    def prepare_child_message(
        self, gas: int, to: Any, value: int, data: Any, code: bytes, **kwargs: Any
    ) -> MessageAPI:
        """The message of a call or a creation, which its opcode has made sure can be sent."""
        kwargs.setdefault("sender", self.msg.storage_address)
        depth = self.msg.depth + 1
        return LeanMessage(
            {"gas": gas, "to": to, "value": value, "data": data, "code": code, "depth": depth}
            | kwargs
        )

    @classmethod
    def apply_computation(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        """Run a message's code, or the precompiled contract it is for."""
        computation = cls(state, message, transaction_context)
        with computation:
            computation.open_message(parent_computation)
            precompile = computation.precompiles.get(message.code_address)
            if precompile is None:
                computation.run_code()
            elif not message.is_delegation:
                precompile(computation)
        return computation

    def open_message(self, parent: Any) -> None:
        """Know which contracts this transaction has created; pay for a transaction's init code."""
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
        """Run the code until it halts; raises what stops it."""
        code: Any = self.code
        raw = code._raw_code_bytes  # noqa: SLF001  # it has no other name
        if raw:
            stack: Any = self._stack
            self.programs.of(raw).run(self, stack.values, self._gas_meter, code.program_counter)
        elif self.msg.code_address == CONSOLE:
            say(bytes(self.msg.data))


def fast_computation(kind: Any) -> Any:
    """That computation class, run by the fast engine."""
    members = {"reference": kind, "programs": Programs(kind.opcodes), "__module__": __name__}
    return type(kind.__name__, (FastComputation, kind), members)
