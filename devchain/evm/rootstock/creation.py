"""CREATE and CREATE2 as on Rootstock: all remaining gas to the child, RSKIP125's collisions."""

from __future__ import annotations

from typing import Any

from eth.constants import CREATE_CONTRACT_ADDRESS, UINT_64_MAX
from eth.exceptions import WriteProtection
from eth.vm.logic import system
from eth_hash.auto import keccak

from devchain.evm.rootstock import gas as costs
from devchain.evm.rootstock.exceptions import InitCodeTooLarge
from devchain.evm.rootstock.upgrades import Rule
from devchain.state.rlp import encode_bytes, encode_int, wrap
from devchain.types import Address


def contract_address(creator: Address, nonce: int) -> Address:
    """Where the contract goes that an account creates with that nonce."""
    return Address(keccak(wrap(encode_bytes(creator) + encode_int(nonce)))[12:])


class Create(system.Create):
    """CREATE; unlike on Ethereum a refusal leaves the return data of the last call in place."""

    depth_limit = costs.CALL_DEPTH
    rules: frozenset[Rule] = frozenset()

    def __call__(self, computation: Any) -> None:
        """Take the parameters from the stack, run the init code, leave the address or 0."""
        if computation.msg.is_static:
            msg = f"{self.mnemonic} in a static call"
            raise WriteProtection(msg)
        data = self.get_stack_data(computation)
        init_code = self._init_code(computation, data)
        if self._is_refused(computation, data.endowment):
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

    def _init_code(self, computation: Any, data: system.CreateOpcodeStackData) -> bytes:
        size = data.memory_length
        gas = self.get_gas_cost(data) + costs.init_code_gas(size, self.rules)
        computation.consume_gas(gas, self.mnemonic)
        computation.extend_memory(data.memory_start, size)
        if size > costs.INIT_CODE_LIMIT and Rule.INIT_CODE_LIMIT in self.rules:
            msg = f"init code has {size} bytes, the limit is {costs.INIT_CODE_LIMIT}"
            raise InitCodeTooLarge(msg)
        init_code: bytes = computation.memory_read_bytes(data.memory_start, size)
        return init_code

    def _is_refused(self, computation: Any, endowment: int) -> bool:
        state, msg = computation.state, computation.msg
        # The node's nonces have no end, but py-evm's account database stops at 64 bits.
        spent = state.get_nonce(msg.storage_address) >= UINT_64_MAX
        short = state.get_balance(msg.storage_address) < endowment
        return bool(spent or short or msg.depth >= self.depth_limit)

    def _collides(self, state: Any, address: Any) -> bool:
        """Whether the address is in use or was destroyed by an earlier transaction of the block."""
        if Rule.CREATE2 not in self.rules:
            return False
        return address in state.deleted_accounts or state.has_code_or_nonce(address)


class Create2(Create, system.Create2):
    """CREATE2, with 6 gas per word of init code for hashing it."""
