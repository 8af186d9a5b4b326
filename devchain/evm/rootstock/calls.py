"""CALL, CALLCODE, DELEGATECALL, STATICCALL, CREATE and CREATE2 as on Rootstock.

Calls: there is no EIP-150, so a caller may pass on all of its remaining gas; the stipend of a call
with value is charged to the caller; calling an account that does not exist costs the gas of a new
account, with or without value. Creations: the child gets all remaining gas, and the checks for
address collisions follow RSKIP125.
"""

from __future__ import annotations

from typing import Any

from eth.constants import (
    CREATE_CONTRACT_ADDRESS,
    GAS_CALLSTIPEND,
    GAS_CALLVALUE,
    GAS_NEWACCOUNT,
    UINT_64_MAX,
)
from eth.exceptions import OutOfGas, WriteProtection
from eth.vm.logic import system
from eth.vm.opcode import Opcode

from devchain.evm.rootstock import gas as costs
from devchain.evm.rootstock.exceptions import InitCodeTooLarge, PrecompileFailed
from devchain.evm.rootstock.upgrades import Rule
from devchain.state.keccak import keccak
from devchain.state.rlp import encode_bytes, encode_int, wrap
from devchain.types import WORD_SIZE, Address

ADDRESS_CEILING = 2**160


class RootstockCall(Opcode):
    """A call opcode; the subclasses differ in the message and in what it costs.

    The whole ranges of input and output are charged for, but memory grows to the input only when it
    is read: not if the call cannot start, and no further than a precompiled contract reads
    (RSKIP516). What was charged but has not grown is charged again when that memory is used.

    A precompiled contract is called by its whole word: an operand whose upper 12 bytes are not zero
    means the account alone, which has no code.
    """

    depth_limit = costs.CALL_DEPTH
    clears_return_data = True
    survives_precompile_failure = True
    takes_value = True
    transfers_value = True
    is_static = False

    @property
    def arity(self) -> tuple[int, int]:
        """How many words it pops and pushes, for the compiler."""
        return 7 if self.takes_value else 6, 1

    def __call__(self, computation: Any) -> None:
        """Pop the operands, charge gas, execute the child message, push 1 for success or 0."""
        gas, target, *operands = computation.stack_pop_ints(self.arity[0])
        value = operands.pop(0) if self.takes_value else 0
        input_start, input_size, output_start, output_size = operands
        address = Address(target.to_bytes(WORD_SIZE)[-20:])
        is_precompile = address in computation.precompiles
        runs_precompile = is_precompile and target < ADDRESS_CEILING
        fee = self._fee(computation, address, value)
        fee += computation.memory_fee((input_start, input_size), (output_start, output_size))
        computation.consume_gas(fee, self.mnemonic)
        child_gas = self._gas_for_child(computation, gas, value)
        computation.consume_gas(child_gas, self.mnemonic)
        computation.grow_memory(output_start, output_size)
        if computation.msg.depth >= self.depth_limit:
            # The return data of the previous call stays readable.
            self._refuse(computation, child_gas)
            return
        if runs_precompile:
            input_size = min(input_size, computation.input_limits.get(address, input_size))
        is_affordable = not value or value <= _own_balance(computation)
        if is_affordable or not runs_precompile:
            computation.grow_memory(input_start, input_size)
        if not is_affordable:
            if self.clears_return_data:
                computation.return_data = b""
            self._refuse(computation, child_gas)
            return
        message = computation.prepare_child_message(
            gas=child_gas,
            data=computation.memory_read_bytes(input_start, input_size),
            code=computation.state.get_code(address),
            should_transfer_value=self.transfers_value,
            is_static=self.is_static or computation.msg.is_static,
            # py-evm's word for an account whose precompiled contract does not run
            is_delegation=is_precompile and not runs_precompile,
            **self._parties(computation, address, value),
        )
        child = computation.apply_child_computation(message)
        self._push_result(computation, child, output_start, output_size)

    def _fee(self, computation: Any, address: Address, value: int) -> int:
        del computation, address
        return self.gas_cost + (GAS_CALLVALUE if value else 0)

    def _gas_for_child(self, computation: Any, gas: int, value: int) -> int:
        remaining: int = computation.get_gas_remaining()
        if not value:
            return min(remaining, gas)
        if remaining < GAS_CALLSTIPEND:
            raise OutOfGas(f"{self.mnemonic} with value needs {GAS_CALLSTIPEND} gas for the callee")
        return min(remaining, gas + GAS_CALLSTIPEND)

    @staticmethod
    def _refuse(computation: Any, child_gas: int) -> None:
        computation.return_gas(child_gas)
        computation.stack_push_int(0)

    def _parties(self, computation: Any, address: Address, value: int) -> dict[str, Any]:
        return {
            "to": address,
            "sender": computation.msg.storage_address,
            "code_address": None,
            "value": value,
        }

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


def _own_balance(computation: Any) -> int:
    balance: int = computation.state.get_balance(computation.msg.storage_address)
    return balance


class Call(RootstockCall):
    """CALL; a callee that does not exist costs the gas of a new account even without value."""

    def _fee(self, computation: Any, address: Address, value: int) -> int:
        if value and computation.msg.is_static:
            raise WriteProtection(f"{self.mnemonic} with value in a static call")
        fee = super()._fee(computation, address, value)
        return fee if computation.state.account_exists(address) else fee + GAS_NEWACCOUNT


class CallCode(RootstockCall):
    """CALLCODE: the caller calls itself, with the code of another account."""

    def _parties(self, computation: Any, address: Address, value: int) -> dict[str, Any]:
        own = computation.msg.storage_address
        return {"to": own, "sender": own, "code_address": address, "value": value}


class DelegateCall(RootstockCall):
    """DELEGATECALL: as CALLCODE, with the caller's own sender and value."""

    takes_value = False
    transfers_value = False

    def _parties(self, computation: Any, address: Address, value: int) -> dict[str, Any]:
        del value
        message = computation.msg
        return {
            "to": message.storage_address,
            "sender": message.sender,
            "code_address": address,
            "value": message.value,
        }


class StaticCall(RootstockCall):
    """STATICCALL: a call without value that must not change the state."""

    takes_value = False
    transfers_value = False
    is_static = True


class StaticCallWithValue(RootstockCall):
    """STATICCALL before RSKIP103, which pops a value as CALL does and transfers it."""

    is_static = True


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
        limit = computation.init_code_limit
        if limit is not None and size > limit and Rule.INIT_CODE_LIMIT in self.rules:
            raise InitCodeTooLarge(f"init code has {size} bytes, the limit is {limit}")
        init_code: bytes = computation.memory_read_bytes(data.memory_start, size)
        return init_code

    def _cannot_start_child(self, computation: Any, endowment: int) -> bool:
        state, msg = computation.state, computation.msg
        # The Rootstock node has no largest nonce, but py-evm's account database ends at 64 bits.
        no_nonce = state.get_nonce(msg.storage_address) >= UINT_64_MAX
        no_funds = state.get_balance(msg.storage_address) < endowment
        return bool(no_nonce or no_funds or msg.depth >= self.depth_limit)

    def _collides(self, state: Any, address: Any) -> bool:
        if Rule.CREATE2 not in self.rules:
            return False
        return address in state.deleted_accounts or state.has_code_or_nonce(address)


class Create2(Create, system.Create2):
    """CREATE2; hashing the init code costs 6 gas per word."""


def contract_address(creator: Address, nonce: int) -> Address:
    """Address of the contract that an account creates with that nonce."""
    return Address(keccak(wrap(encode_bytes(creator) + encode_int(nonce)))[12:])
