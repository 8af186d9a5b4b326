"""CALL and its kin: one child message, paid for and answered as on Rootstock.

The caller pays the stipend, may hand over all it has, and pays for a new account whatever value
it sends. No 63/64 of EIP-150, no stipend out of nothing.
"""

from __future__ import annotations

from typing import Any

from eth._utils.address import force_bytes_to_address
from eth.abc import ComputationAPI
from eth.constants import GAS_CALLSTIPEND, GAS_CALLVALUE, GAS_NEWACCOUNT
from eth.exceptions import OutOfGas
from eth.vm.logic import call

from devchain.evm.rootstock import gas as costs
from devchain.evm.rootstock.exceptions import PrecompileFailed


class RootstockCall(call.BaseCall):
    """What the four call opcodes share; py-evm's classes say what each takes from the stack."""

    depth_limit = costs.CALL_DEPTH
    cleans_return_data = True
    contains_errors = True

    def compute_msg_extra_gas(
        self, computation: ComputationAPI, gas: int, to: Any, value: int
    ) -> int:
        """What the call costs besides memory and the gas it hands over."""
        del computation, gas, to
        return GAS_CALLVALUE if value else 0

    def __call__(self, computation: Any) -> None:
        """Take the parameters from the stack, run the child, leave 1 or 0 for it."""
        gas, value, to, sender, code_address, *memory, pays, is_static = self.get_call_params(
            computation
        )
        input_start, input_size, output_start, output_size = memory
        endowment = value if pays else 0
        extra_gas = self.compute_msg_extra_gas(computation, gas, to, endowment)
        computation.consume_gas(self.gas_cost + extra_gas, self.mnemonic)
        computation.extend_memory(input_start, input_size)
        computation.extend_memory(output_start, output_size)
        child_gas = self._child_gas(computation, gas, endowment)
        computation.consume_gas(child_gas, self.mnemonic)
        if self._is_refused(computation, endowment):
            computation.return_gas(child_gas)
            computation.stack_push_int(0)
            return
        message = computation.prepare_child_message(
            gas=child_gas,
            to=to,
            value=value,
            data=computation.memory_read_bytes(input_start, input_size),
            code=computation.state.get_code(code_address or to),
            sender=sender or computation.msg.storage_address,
            code_address=code_address,
            should_transfer_value=pays,
            is_static=is_static,
        )
        child = computation.apply_child_computation(message)
        self._answer(computation, child, output_start, output_size)

    def _child_gas(self, computation: Any, gas: int, endowment: int) -> int:
        remaining: int = computation.get_gas_remaining()
        if not endowment:
            return min(remaining, gas)
        if remaining < GAS_CALLSTIPEND:
            msg = f"{self.mnemonic} with value needs {GAS_CALLSTIPEND} gas for the callee"
            raise OutOfGas(msg)
        return min(remaining, gas + GAS_CALLSTIPEND)

    def _is_refused(self, computation: Any, endowment: int) -> bool:
        """Whether the call fails before there is a child; at the depth limit return data stays."""
        msg = computation.msg
        if msg.depth >= self.depth_limit:
            return True
        if not endowment or computation.state.get_balance(msg.storage_address) >= endowment:
            return False
        if self.cleans_return_data:
            computation.return_data = b""
        return True

    def _answer(self, computation: Any, child: Any, start: int, size: int) -> None:
        if (
            child.is_error
            and not self.contains_errors
            and isinstance(child.error, PrecompileFailed)
        ):
            raise OutOfGas(str(child.error)) from child.error
        computation.stack_push_int(0 if child.is_error else 1)
        output = child.output[:size]
        computation.memory_write(start, len(output), output)
        computation.return_gas(child.get_gas_remaining())


class Call(RootstockCall, call.CallByzantium):
    """CALL, which pays for an account that does not exist even when it sends nothing."""

    def compute_msg_extra_gas(
        self, computation: ComputationAPI, gas: int, to: Any, value: int
    ) -> int:
        """What the call costs besides memory and the gas it hands over."""
        extra = super().compute_msg_extra_gas(computation, gas, to, value)
        return extra if computation.state.account_exists(to) else extra + GAS_NEWACCOUNT


class CallCode(RootstockCall, call.CallCode):
    """CALLCODE."""


class DelegateCall(RootstockCall, call.DelegateCall):
    """DELEGATECALL."""


class StaticCall(RootstockCall, call.StaticCall):
    """STATICCALL."""


class StaticCallWithValue(RootstockCall):
    """STATICCALL before RSKIP103: it takes a value from the stack as CALL does, and sends it."""

    arity = (7, 1)

    def get_call_params(self, computation: Any) -> Any:
        """Gas, recipient, value, memory."""
        gas = computation.stack_pop1_int()
        to = force_bytes_to_address(computation.stack_pop1_bytes())
        value, *memory = computation.stack_pop_ints(5)
        return gas, value, to, None, None, *memory, True, True
