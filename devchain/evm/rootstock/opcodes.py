"""Opcode tables of Rootstock's upgrades, and the opcodes that differ from Ethereum's.

Rootstock has the gas costs of Ethereum's Byzantium, so that table is the base of every upgrade;
later opcodes come from py-evm's Cancun table. CALL and CREATE are in `calls`.
"""

from __future__ import annotations

from typing import Any

from eth import constants
from eth._utils.address import force_bytes_to_address
from eth.abc import OpcodeAPI
from eth.exceptions import Halt, OutOfGas, WriteProtection
from eth.vm import mnemonics
from eth.vm.forks.berlin.opcodes import BERLIN_OPCODES
from eth.vm.forks.byzantium.opcodes import BYZANTIUM_OPCODES, ensure_no_static
from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from eth.vm.forks.tangerine_whistle.constants import GAS_EXTCODE_EIP150
from eth.vm.logic import system
from eth.vm.opcode import Opcode as OpcodeObject
from eth.vm.opcode import as_opcode

from devchain.evm.bounded import calls_as_methods
from devchain.evm.opcodes import DELEGATION, Kind, Op, Opcode
from devchain.evm.rootstock import gas as costs
from devchain.evm.rootstock.gas import InitCodeTooLarge
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from devchain.evm.rootstock.upgrades import Rule
from devchain.state.keccak import keccak
from devchain.state.rlp import encode_bytes, encode_int, wrap
from devchain.types import WORD_SIZE, Address

ADDRESS_CEILING = 2**160


class RootstockCall(OpcodeObject):
    """A call opcode; the subclasses differ in the message and in what it costs.

    The whole ranges of input and output are charged for, but memory grows to the input only when it
    is read: not if the call cannot start, and no further than a precompiled contract reads
    (RSKIP516). What was charged but has not grown is charged again when that memory is used.

    A precompiled contract is called by its whole word: an operand whose upper 12 bytes are not zero
    means the account alone, which has no code.
    """

    rules: frozenset[Rule] = frozenset()
    depth_limit = costs.CALL_DEPTH
    takes_value = True
    transfers_value = True
    is_static = False
    uses_own_account = False  # to run the other's code on

    @property
    def arity(self) -> tuple[int, int]:
        """How many words it pops and pushes, for the compiler."""
        return 7 if self.takes_value else 6, 1

    def __call__(self, computation: Any) -> None:
        gas, target, *operands = computation.stack_pop_ints(self.arity[0])
        value = operands.pop(0) if self.takes_value else 0
        input_start, input_size, output_start, output_size = operands
        address = Address(target.to_bytes(WORD_SIZE)[-20:])
        is_precompile = address in computation.precompiles
        runs_precompile = is_precompile and target < ADDRESS_CEILING
        fee = self._fee(computation, address, value)
        present = len(computation._memory)  # noqa: SLF001  # py-evm has no public name for it
        grows = input_start + input_size > present or output_start + output_size > present
        if grows:
            fee += computation.memory_fee((input_start, input_size), (output_start, output_size))
        computation.consume_gas(fee, self.mnemonic)
        child_gas = computation.gas_for_child(gas, value)
        computation.consume_gas(child_gas, self.mnemonic)
        if grows:
            computation.grow_memory(output_start, output_size)
        if computation.msg.depth >= self.depth_limit:
            # The return data of the previous call stays readable.
            self._refuse(computation, child_gas)
            return
        if runs_precompile:
            input_size = min(input_size, computation.input_limits.get(address, input_size))
        caller = computation.msg
        own = caller.storage_address
        is_affordable = not value or value <= computation.state.get_balance(own)
        if grows and (is_affordable or not runs_precompile):
            computation.grow_memory(input_start, input_size)
        if not is_affordable:
            if Rule.CLEAN_RETURN_DATA in self.rules:
                computation.return_data = b""
            self._refuse(computation, child_gas)
            return
        code = computation.state.get_code(address)
        if len(code) == DELEGATION_SIZE and Rule.SET_CODE in self.rules:
            code = executed_code(computation.state, code)
        keeps_sender = self.uses_own_account and not self.takes_value
        message = computation.prepare_child_message(
            gas=child_gas,
            to=own if self.uses_own_account else address,
            sender=caller.sender if keeps_sender else own,
            value=caller.value if keeps_sender else value,
            data=computation.memory_read_bytes(input_start, input_size),
            code=code,
            code_address=address if self.uses_own_account else None,
            should_transfer_value=self.transfers_value,
            is_static=self.is_static or caller.is_static,
            # py-evm's word for an account whose precompiled contract does not run
            is_delegation=is_precompile and not runs_precompile,
        )
        child = computation.apply_child_computation(message)
        is_refused = child.is_error and isinstance(child.error, PrecompileFailed)
        if is_refused and Rule.CONTAINED_PRECOMPILE_ERRORS not in self.rules:
            raise OutOfGas(str(child.error)) from child.error
        computation.stack_push_int(0 if child.is_error else 1)
        output = child.output[:output_size]
        computation.memory_write(output_start, len(output), output)
        computation.return_gas(child.get_gas_remaining())

    def _fee(self, computation: Any, address: Address, value: int) -> int:
        # Without a price of its own the opcode costs what the use of the account does.
        fee = self.gas_cost or costs.access_gas(computation.state, address)
        return int(fee + (constants.GAS_CALLVALUE if value else 0))

    @staticmethod
    def _refuse(computation: Any, child_gas: int) -> None:
        computation.return_gas(child_gas)
        computation.stack_push_int(0)


class Call(RootstockCall):
    """CALL; a callee that does not exist costs the gas of a new account even without value."""

    def _fee(self, computation: Any, address: Address, value: int) -> int:
        if value and computation.msg.is_static:
            raise WriteProtection(f"{self.mnemonic} with value in a static call")
        fee = super()._fee(computation, address, value)
        return fee if computation.state.account_exists(address) else fee + constants.GAS_NEWACCOUNT


class CallCode(RootstockCall):
    """CALLCODE: the caller calls itself, with the code of another account."""

    uses_own_account = True


class DelegateCall(CallCode):
    """DELEGATECALL: as CALLCODE, with the caller's own sender and value."""

    takes_value = False
    transfers_value = False


class StaticCall(RootstockCall):
    """STATICCALL: a call without value that must not change the state."""

    takes_value = False
    transfers_value = False
    is_static = True


class StaticCallWithValue(RootstockCall):
    """STATICCALL before RSKIP103, which pops a value as CALL does and transfers it."""

    is_static = True


DELEGATION_SIZE = len(DELEGATION) + 20


def is_delegation(code: bytes) -> bool:
    """Whether code is the name of an account whose code is to be executed (RSKIP545)."""
    return len(code) == DELEGATION_SIZE and code.startswith(DELEGATION)


def executed_code(state: Any, code: bytes) -> bytes:
    """The code that an account with that code executes."""
    found: bytes = state.get_code(code[len(DELEGATION) :]) if is_delegation(code) else code
    return found


class Create(system.Create):
    """CREATE; a creation that cannot start leaves the return data of the previous call readable."""

    rules: frozenset[Rule] = frozenset()
    depth_limit = costs.CALL_DEPTH

    def __call__(self, computation: Any) -> None:
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
        state = computation.state
        if Rule.ACCESS_GAS in self.rules:
            state.mark_address_warm(address)
        if Rule.CREATE2 in self.rules and (
            address in state.deleted_accounts or state.has_code_or_nonce(address)
        ):
            computation.stack_push_int(0)
            return
        message = computation.prepare_child_message(
            gas=gas,
            to=constants.CREATE_CONTRACT_ADDRESS,
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
        no_nonce = state.get_nonce(msg.storage_address) >= constants.UINT_64_MAX
        no_funds = state.get_balance(msg.storage_address) < endowment
        return bool(no_nonce or no_funds or msg.depth >= self.depth_limit)


class Create2(Create, system.Create2):
    """CREATE2; hashing the init code costs 6 gas per word."""


def contract_address(creator: Address, nonce: int) -> Address:
    return Address(keccak(wrap(encode_bytes(creator) + encode_int(nonce)))[12:])


DUPN, SWAPN, TXINDEX = 0xA8, 0xA9, 0xAA

_ADDED: dict[Rule, tuple[int, ...]] = {
    Rule.SHIFTS: (Op.SHL, Op.SHR, Op.SAR),
    Rule.SELFBALANCE: (Op.SELFBALANCE,),
    Rule.CHAINID: (Op.CHAINID,),
    Rule.PUSH0: (Op.PUSH0,),
    Rule.BASEFEE: (Op.BASEFEE,),
    Rule.MCOPY: (Op.MCOPY,),
    Rule.TRANSIENT_STORAGE: (Op.TLOAD, Op.TSTORE),
}
"""Opcodes that work as on Ethereum and were added by a later upgrade."""


def opcode_table(rules: frozenset[Rule]) -> dict[int, OpcodeAPI]:
    by_access = Rule.ACCESS_GAS in rules
    table: dict[int, Any] = {
        **BYZANTIUM_OPCODES,
        Op.EXTCODESIZE: as_opcode(
            extcodesize, mnemonics.EXTCODESIZE, 0 if by_access else GAS_EXTCODE_EIP150
        ),
        Op.SELFDESTRUCT: as_opcode(
            ensure_no_static(selfdestruct), mnemonics.SELFDESTRUCT, costs.SELFDESTRUCT
        ),
    }
    for rule in rules & _ADDED.keys():
        table |= {code: CANCUN_OPCODES[code] for code in _ADDED[rule]}
    if by_access:
        repriced = (Op.BALANCE, Op.EXTCODECOPY, Op.SLOAD, Op.SSTORE)
        table |= {code: BERLIN_OPCODES[code] for code in repriced}
    if Rule.EXTCODEHASH in rules:
        gas = 0 if by_access else costs.EXTCODEHASH
        table[Op.EXTCODEHASH] = as_opcode(extcodehash, mnemonics.EXTCODEHASH, gas)
    if Rule.NO_DUPN_SWAPN_TXINDEX not in rules:
        table |= _REMOVED_BY_RSKIP191
    is_shallow, without_value = (
        rule in rules for rule in (Rule.CALL_DEPTH_400, Rule.STATICCALL_WITHOUT_VALUE)
    )
    call_gas = 0 if by_access else costs.CALL
    messages: dict[Opcode, Any] = {
        Op.CALL: Call,
        Op.CALLCODE: CallCode,
        Op.DELEGATECALL: DelegateCall,
        Op.STATICCALL: StaticCall if without_value else StaticCallWithValue,
        Op.CREATE: Create,
        **({Op.CREATE2: Create2} if Rule.CREATE2 in rules else {}),
    }
    for code, kind in messages.items():
        table[code] = kind.configure(
            __name__=f"opcode:{code.name}",
            mnemonic=code.name,
            gas_cost=constants.GAS_CREATE if code.kind is Kind.CREATE else call_gas,
            rules=rules,
            depth_limit=costs.CALL_DEPTH if is_shallow else costs.EARLIER_CALL_DEPTH,
        )()
    return calls_as_methods(table)


def extcodesize(computation: Any) -> None:
    """EXTCODESIZE: bytes of an account's code, 2^256 - 1 for precompiled contracts (RSKIP90).

    As in calls, the upper 12 bytes of a precompiled contract's word are zero.
    """
    word = computation.stack_pop1_int()
    address = Address(word.to_bytes(WORD_SIZE)[-20:])
    computation.charge_access(address, mnemonics.EXTCODESIZE)
    if address in computation.precompiles and word < ADDRESS_CEILING:
        computation.stack_push_int(constants.UINT_256_MAX)
    else:
        computation.stack_push_int(len(computation.state.get_code(address)))


def extcodehash(computation: Any) -> None:
    """EXTCODEHASH: hash of an account's code (RSKIP140).

    The hash of the empty string for an account without code, 0 for one that does not exist.
    """
    address = force_bytes_to_address(computation.stack_pop1_bytes())
    computation.charge_access(address, mnemonics.EXTCODEHASH)
    if computation.state.account_exists(address):
        computation.stack_push_bytes(computation.state.get_code_hash(address))
    else:
        computation.stack_push_int(0)


def selfdestruct(computation: Any) -> None:
    """SELFDESTRUCT: send the balance to the beneficiary and delete the account.

    Accounts are deleted whenever they were created (no EIP-6780), but for those that delegate since
    RSKIP701. A beneficiary that does not exist costs the gas of a new account even if there is no
    balance to send.
    """
    beneficiary = force_bytes_to_address(computation.stack_pop1_bytes())
    state, address = computation.state, computation.msg.storage_address
    rules = computation.rules
    if Rule.ACCESS_GAS in rules and not state.is_address_warm(beneficiary):
        computation.charge_access(beneficiary, mnemonics.SELFDESTRUCT)
    if not state.account_exists(beneficiary):
        computation.consume_gas(constants.GAS_SELFDESTRUCT_NEWACCOUNT, mnemonics.SELFDESTRUCT)
    stays = Rule.DESTROYED_KEEP_NONCE in rules and is_delegation(state.get_code(address))
    balance = state.get_balance(address)
    if balance and not (stays and beneficiary == address):
        state.set_balance(address, 0)
        if beneficiary != address:
            state.delta_balance(beneficiary, balance)
    if not stays:
        computation.register_account_for_deletion(beneficiary)
    raise Halt(mnemonics.SELFDESTRUCT)


def dupn(computation: Any) -> None:
    """DUPN: pop n, duplicate the word n below the new top; the next byte of code is skipped."""
    depth = computation.stack_pop1_int()
    computation.stack_dup(depth + 1)
    computation.code.program_counter += 1


def swapn(computation: Any) -> None:
    """SWAPN: pop n, swap the new top with the word n+1 below; the next byte of code is skipped."""
    depth = computation.stack_pop1_int()
    computation.stack_swap(depth + 1)
    computation.code.program_counter += 1


def txindex(computation: Any) -> None:
    computation.stack_push_int(computation.state.transaction_index)


_REMOVED_BY_RSKIP191: dict[int, OpcodeAPI] = {
    DUPN: as_opcode(dupn, "DUPN", constants.GAS_VERYLOW),
    SWAPN: as_opcode(swapn, "SWAPN", constants.GAS_VERYLOW),
    TXINDEX: as_opcode(txindex, "TXINDEX", constants.GAS_BASE),
}
