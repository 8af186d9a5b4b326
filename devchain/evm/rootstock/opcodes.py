"""Opcode tables of Rootstock's upgrades, and the opcodes that differ from Ethereum's.

Rootstock has the gas costs of Ethereum's Byzantium, so that table is the base of every upgrade;
later opcodes come from py-evm's Cancun table. CALL and CREATE are in `calls`.
"""

from __future__ import annotations

from typing import Any

from eth._utils.address import force_bytes_to_address
from eth.abc import OpcodeAPI
from eth.constants import (
    GAS_BASE,
    GAS_CREATE,
    GAS_SELFDESTRUCT_NEWACCOUNT,
    GAS_VERYLOW,
    UINT_256_MAX,
)
from eth.exceptions import Halt
from eth.vm import mnemonics
from eth.vm.forks.byzantium.opcodes import BYZANTIUM_OPCODES, ensure_no_static
from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from eth.vm.forks.tangerine_whistle.constants import GAS_EXTCODE_EIP150
from eth.vm.opcode import as_opcode

from devchain.evm.call_depth import calls_as_methods
from devchain.evm.opcodes import Op
from devchain.evm.rootstock import calls
from devchain.evm.rootstock import gas as costs
from devchain.evm.rootstock.upgrades import Rule
from devchain.types import WORD_SIZE, Address

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
    """Opcodes by their byte, under those rules."""
    added = {code: CANCUN_OPCODES[code] for rule in rules & _ADDED.keys() for code in _ADDED[rule]}
    sstores = {Op.SSTORE: as_opcode(ensure_no_static(sstore), mnemonics.SSTORE, 0)}
    table = (
        BYZANTIUM_OPCODES | sstores | added | _accounts(rules) | _calls(rules) | _creations(rules)
    )
    if Rule.NO_DUPN_SWAPN_TXINDEX not in rules:
        table |= _REMOVED_BY_RSKIP191
    return calls_as_methods(table)


def _accounts(rules: frozenset[Rule]) -> dict[int, OpcodeAPI]:
    table: dict[int, OpcodeAPI] = {
        Op.SSTORE: as_opcode(ensure_no_static(sstore), mnemonics.SSTORE, 0),
        Op.EXTCODESIZE: as_opcode(extcodesize, mnemonics.EXTCODESIZE, GAS_EXTCODE_EIP150),
        Op.SELFDESTRUCT: as_opcode(
            ensure_no_static(selfdestruct), mnemonics.SELFDESTRUCT, costs.SELFDESTRUCT
        ),
    }
    if Rule.EXTCODEHASH in rules:
        table[Op.EXTCODEHASH] = as_opcode(extcodehash, mnemonics.EXTCODEHASH, costs.EXTCODEHASH)
    return table


def _calls(rules: frozenset[Rule]) -> dict[int, OpcodeAPI]:
    static = Rule.STATICCALL_WITHOUT_VALUE in rules
    kinds: dict[int, tuple[str, Any]] = {
        Op.CALL: (mnemonics.CALL, calls.Call),
        Op.CALLCODE: (mnemonics.CALLCODE, calls.CallCode),
        Op.DELEGATECALL: (mnemonics.DELEGATECALL, calls.DelegateCall),
        Op.STATICCALL: (
            mnemonics.STATICCALL,
            calls.StaticCall if static else calls.StaticCallWithValue,
        ),
    }
    return {
        code: kind.configure(
            __name__=f"opcode:{mnemonic}",
            mnemonic=mnemonic,
            gas_cost=costs.CALL,
            depth_limit=_depth_limit(rules),
            clears_return_data=Rule.CLEAN_RETURN_DATA in rules,
            survives_precompile_failure=Rule.CONTAINED_PRECOMPILE_ERRORS in rules,
        )()
        for code, (mnemonic, kind) in kinds.items()
    }


def _creations(rules: frozenset[Rule]) -> dict[int, OpcodeAPI]:
    kinds: dict[int, tuple[str, Any]] = {Op.CREATE: (mnemonics.CREATE, calls.Create)}
    if Rule.CREATE2 in rules:
        kinds[Op.CREATE2] = (mnemonics.CREATE2, calls.Create2)
    return {
        code: kind.configure(
            __name__=f"opcode:{mnemonic}",
            mnemonic=mnemonic,
            gas_cost=GAS_CREATE,
            depth_limit=_depth_limit(rules),
            rules=rules,
        )()
        for code, (mnemonic, kind) in kinds.items()
    }


def _depth_limit(rules: frozenset[Rule]) -> int:
    return costs.CALL_DEPTH if Rule.CALL_DEPTH_400 in rules else costs.EARLIER_CALL_DEPTH


def sstore(computation: Any) -> None:
    """SSTORE: store a word, at the price of `gas.SSTORE`."""
    slot, value = computation.stack_pop_ints(2)
    state, address = computation.state, computation.msg.storage_address
    current = state.get_storage(address, slot)
    is_set = value and not current
    computation.consume_gas(costs.SSTORE.set if is_set else costs.SSTORE.reset, mnemonics.SSTORE)
    if current and not value:
        computation.refund_gas(costs.SSTORE.clear_refund)
    state.set_storage(address=address, slot=slot, value=value)


def extcodesize(computation: Any) -> None:
    """EXTCODESIZE: bytes of an account's code, 2^256 - 1 for precompiled contracts (RSKIP90).

    As in calls, the upper 12 bytes of a precompiled contract's word are zero.
    """
    word = computation.stack_pop1_int()
    address = Address(word.to_bytes(WORD_SIZE)[-20:])
    if address in computation.precompiles and word < calls.ADDRESS_CEILING:
        computation.stack_push_int(UINT_256_MAX)
    else:
        computation.stack_push_int(len(computation.state.get_code(address)))


def extcodehash(computation: Any) -> None:
    """EXTCODEHASH: hash of an account's code (RSKIP140).

    The hash of the empty string for an account without code, 0 for one that does not exist.
    """
    address = force_bytes_to_address(computation.stack_pop1_bytes())
    if computation.state.account_exists(address):
        computation.stack_push_bytes(computation.state.get_code_hash(address))
    else:
        computation.stack_push_int(0)


def selfdestruct(computation: Any) -> None:
    """SELFDESTRUCT: send the balance to the beneficiary and delete the account.

    Accounts are deleted whenever they were created (no EIP-6780). A beneficiary that does not exist
    costs the gas of a new account even if there is no balance to send.
    """
    beneficiary = force_bytes_to_address(computation.stack_pop1_bytes())
    state, address = computation.state, computation.msg.storage_address
    if not state.account_exists(beneficiary):
        computation.consume_gas(GAS_SELFDESTRUCT_NEWACCOUNT, mnemonics.SELFDESTRUCT)
    balance = state.get_balance(address)
    if balance:
        state.set_balance(address, 0)
        if beneficiary != address:
            state.delta_balance(beneficiary, balance)
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
    """TXINDEX: the index of the transaction in its block."""
    computation.stack_push_int(computation.state.transaction_index)


_REMOVED_BY_RSKIP191: dict[int, OpcodeAPI] = {
    DUPN: as_opcode(dupn, "DUPN", GAS_VERYLOW),
    SWAPN: as_opcode(swapn, "SWAPN", GAS_VERYLOW),
    TXINDEX: as_opcode(txindex, "TXINDEX", GAS_BASE),
}
