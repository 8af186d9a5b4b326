"""CALL, CALLCODE, DELEGATECALL, STATICCALL, CREATE and CREATE2 as on Rootstock.

Calls: there is no EIP-150, so a caller may pass on all of its remaining gas; the stipend of a call
with value is charged to the caller; calling an account that does not exist costs the gas of a new
account, with or without value. Creations: the child gets all remaining gas, and the checks for
address collisions follow RSKIP125.
"""

from __future__ import annotations

from typing import Any

from eth._utils.address import force_bytes_to_address
from eth.abc import ComputationAPI
from eth.constants import (
    CREATE_CONTRACT_ADDRESS,
    GAS_CALLSTIPEND,
    GAS_CALLVALUE,
    GAS_NEWACCOUNT,
    UINT_64_MAX,
)
from eth.exceptions import OutOfGas, WriteProtection
from eth.vm.logic import call, system
from eth_hash.auto import keccak

from devchain.evm.rootstock import gas as costs
from devchain.evm.rootstock.exceptions import InitCodeTooLarge, PrecompileFailed
from devchain.evm.rootstock.upgrades import Rule
from devchain.state.rlp import encode_bytes, encode_int, wrap
from devchain.types import Address


class RootstockCall(call.BaseCall):
    """A call opcode; py-evm's classes define which operands each one pops."""

    depth_limit = costs.CALL_DEPTH
    clears_return_data = True
    survives_precompile_failure = True

    def compute_msg_extra_gas(
        self, computation: ComputationAPI, gas: int, to: Any, value: int
    ) -> int:
        """Gas of the call besides its base cost, memory and the gas passed to the callee."""
        del computation, gas, to
        return GAS_CALLVALUE if value else 0

    def __call__(self, computation: Any) -> None:
        """Pop the operands, charge gas, execute the child message, push 1 for success or 0."""
        gas, value, to, sender, code_address, *memory, sends_value, is_static = (
            self.get_call_params(computation)
        )
        input_start, input_size, output_start, output_size = memory
        endowment = value if sends_value else 0
        extra_gas = self.compute_msg_extra_gas(computation, gas, to, endowment)
        computation.consume_gas(self.gas_cost + extra_gas, self.mnemonic)
        computation.extend_memory(input_start, input_size)
        computation.extend_memory(output_start, output_size)
        child_gas = self._gas_for_child(computation, gas, endowment)
        computation.consume_gas(child_gas, self.mnemonic)
        if self._cannot_start_child(computation, endowment):
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
            should_transfer_value=sends_value,
            is_static=is_static,
        )
        child = computation.apply_child_computation(message)
        self._push_result(computation, child, output_start, output_size)

    def _gas_for_child(self, computation: Any, gas: int, endowment: int) -> int:
        remaining: int = computation.get_gas_remaining()
        if not endowment:
            return min(remaining, gas)
        if remaining < GAS_CALLSTIPEND:
            raise OutOfGas(f"{self.mnemonic} with value needs {GAS_CALLSTIPEND} gas for the callee")
        return min(remaining, gas + GAS_CALLSTIPEND)

    def _cannot_start_child(self, computation: Any, endowment: int) -> bool:
        """Whether the depth limit or the balance forbids the call.

        At the depth limit the return data of the previous call stays readable.
        """
        msg = computation.msg
        if msg.depth >= self.depth_limit:
            return True
        if not endowment or computation.state.get_balance(msg.storage_address) >= endowment:
            return False
        if self.clears_return_data:
            computation.return_data = b""
        return True

    def _push_result(self, computation: Any, child: Any, start: int, size: int) -> None:
        if (
            child.is_error
            and not self.survives_precompile_failure
            and isinstance(child.error, PrecompileFailed)
        ):
            raise OutOfGas(str(child.error)) from child.error
        computation.stack_push_int(0 if child.is_error else 1)
        output = child.output[:size]
        computation.memory_write(start, len(output), output)
        computation.return_gas(child.get_gas_remaining())


class Call(RootstockCall, call.CallByzantium):
    """CALL; a callee that does not exist costs the gas of a new account even without value."""

    def compute_msg_extra_gas(
        self, computation: ComputationAPI, gas: int, to: Any, value: int
    ) -> int:
        """Gas of the call besides its base cost, memory and the gas passed to the callee."""
        extra = super().compute_msg_extra_gas(computation, gas, to, value)
        return extra if computation.state.account_exists(to) else extra + GAS_NEWACCOUNT


class CallCode(RootstockCall, call.CallCode):
    """CALLCODE, with Rootstock's gas."""


class DelegateCall(RootstockCall, call.DelegateCall):
    """DELEGATECALL, with Rootstock's gas."""


class StaticCall(RootstockCall, call.StaticCall):
    """STATICCALL, with Rootstock's gas."""


class StaticCallWithValue(RootstockCall):
    """STATICCALL before RSKIP103, which pops a value as CALL does and transfers it."""

    arity = (7, 1)

    def get_call_params(self, computation: Any) -> Any:
        """Pop gas, recipient, value and the two memory ranges."""
        gas = computation.stack_pop1_int()
        to = force_bytes_to_address(computation.stack_pop1_bytes())
        value, *memory = computation.stack_pop_ints(5)
        return gas, value, to, None, None, *memory, True, True


class Create(system.Create):
    """CREATE; a creation that cannot start leaves the return data of the previous call readable."""

    depth_limit = costs.CALL_DEPTH
    rules: frozenset[Rule] = frozenset()

    def __call__(self, computation: Any) -> None:
        """Pop the operands, charge gas, execute the init code, push the new address or 0."""
        if computation.msg.is_static:
            raise WriteProtection(f"{self.mnemonic} in a static call")
        data = self.get_stack_data(computation)
        init_code = self._read_init_code(computation, data)
        if self._cannot_start_child(computation, data.endowment):
            computation.stack_push_int(0)
            return
        gas = computation.get_gas_remaining()
        computation.consume_gas(gas, self.mnemonic)
        address = self.generate_contract_address(data, init_code, computation)
        if self._collides(computation.state, address):
            computation.stack_push_int(0)
            return
        message = computation.prepare_child_message(
            gas=gas,
            to=CREATE_CONTRACT_ADDRESS,
            value=data.endowment,
            data=b"",
            code=init_code,
            create_address=address,
        )
        child = computation.apply_child_computation(message)
        if child.is_error:
            computation.stack_push_int(0)
        else:
            computation.stack_push_bytes(address)
        computation.return_gas(child.get_gas_remaining())

    def _read_init_code(self, computation: Any, data: system.CreateOpcodeStackData) -> bytes:
        size = data.memory_length
        gas = self.get_gas_cost(data) + costs.init_code_gas(size, self.rules)
        computation.consume_gas(gas, self.mnemonic)
        computation.extend_memory(data.memory_start, size)
        if size > costs.INIT_CODE_LIMIT and Rule.INIT_CODE_LIMIT in self.rules:
            raise InitCodeTooLarge(
                f"init code has {size} bytes, the limit is {costs.INIT_CODE_LIMIT}"
            )
        init_code: bytes = computation.memory_read_bytes(data.memory_start, size)
        return init_code

    def _cannot_start_child(self, computation: Any, endowment: int) -> bool:
        state, msg = computation.state, computation.msg
        # The Rootstock node has no largest nonce, but py-evm's account database ends at 64 bits.
        no_nonce = state.get_nonce(msg.storage_address) >= UINT_64_MAX
        no_funds = state.get_balance(msg.storage_address) < endowment
        return bool(no_nonce or no_funds or msg.depth >= self.depth_limit)

    def _collides(self, state: Any, address: Any) -> bool:
        """Whether the address is in use or was deleted by an earlier transaction of the block."""
        if Rule.CREATE2 not in self.rules:
            return False
        return address in state.deleted_accounts or state.has_code_or_nonce(address)


class Create2(Create, system.Create2):
    """CREATE2; hashing the init code costs 6 gas per word."""


def contract_address(creator: Address, nonce: int) -> Address:
    """Address of the contract that an account creates with that nonce."""
    return Address(keccak(wrap(encode_bytes(creator) + encode_int(nonce)))[12:])
