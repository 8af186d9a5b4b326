"""Which opcode does what under an upgrade, and for how much gas.

Rootstock's prices are those of Ethereum's Byzantium, so its table is where each upgrade starts;
opcodes that came later are taken from the fork of Ethereum that introduced them.
"""

from __future__ import annotations

from typing import Any

from eth.abc import OpcodeAPI
from eth.constants import GAS_BASE, GAS_CREATE, GAS_VERYLOW
from eth.vm import mnemonics
from eth.vm import opcode_values as op
from eth.vm.forks.byzantium.opcodes import BYZANTIUM_OPCODES, ensure_no_static
from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from eth.vm.forks.tangerine_whistle.constants import GAS_EXTCODE_EIP150
from eth.vm.opcode import as_opcode

from devchain.evm.nesting import nestable
from devchain.evm.rootstock import calls, creation, logic
from devchain.evm.rootstock import gas as costs
from devchain.evm.rootstock.upgrades import Rule

DUPN, SWAPN, TXINDEX = 0xA8, 0xA9, 0xAA

_ADDED: dict[Rule, tuple[int, ...]] = {
    Rule.SHIFTS: (op.SHL, op.SHR, op.SAR),
    Rule.SELFBALANCE: (op.SELFBALANCE,),
    Rule.CHAINID: (op.CHAINID,),
    Rule.PUSH0: (op.PUSH0,),
    Rule.BASEFEE: (op.BASEFEE,),
    Rule.MCOPY: (op.MCOPY,),
    Rule.TRANSIENT_STORAGE: (op.TLOAD, op.TSTORE),
}
"""Opcodes that are Ethereum's in all but the date of their arrival."""


def opcode_table(rules: frozenset[Rule]) -> dict[int, OpcodeAPI]:
    """The opcode table under those rules."""
    taken = {code: CANCUN_OPCODES[code] for rule in rules & _ADDED.keys() for code in _ADDED[rule]}
    table = BYZANTIUM_OPCODES | taken | _accounts(rules) | _calls(rules) | _creations(rules)
    if Rule.NO_DUPN_SWAPN_TXINDEX not in rules:
        table |= _WITHDRAWN
    return nestable(table)


_WITHDRAWN: dict[int, OpcodeAPI] = {
    DUPN: as_opcode(logic.dupn, "DUPN", GAS_VERYLOW),
    SWAPN: as_opcode(logic.swapn, "SWAPN", GAS_VERYLOW),
    TXINDEX: as_opcode(logic.txindex, "TXINDEX", GAS_BASE),
}


def _accounts(rules: frozenset[Rule]) -> dict[int, OpcodeAPI]:
    table = {
        op.EXTCODESIZE: as_opcode(logic.extcodesize, mnemonics.EXTCODESIZE, GAS_EXTCODE_EIP150),
        op.SELFDESTRUCT: as_opcode(
            ensure_no_static(logic.selfdestruct), mnemonics.SELFDESTRUCT, costs.SELFDESTRUCT
        ),
    }
    if Rule.EXTCODEHASH in rules:
        table[op.EXTCODEHASH] = as_opcode(
            logic.extcodehash, mnemonics.EXTCODEHASH, costs.EXTCODEHASH
        )
    return table


def _calls(rules: frozenset[Rule]) -> dict[int, OpcodeAPI]:
    static = Rule.STATICCALL_WITHOUT_VALUE in rules
    kinds: dict[int, tuple[str, Any]] = {
        op.CALL: (mnemonics.CALL, calls.Call),
        op.CALLCODE: (mnemonics.CALLCODE, calls.CallCode),
        op.DELEGATECALL: (mnemonics.DELEGATECALL, calls.DelegateCall),
        op.STATICCALL: (
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
            cleans_return_data=Rule.CLEAN_RETURN_DATA in rules,
            contains_errors=Rule.CONTAINED_PRECOMPILE_ERRORS in rules,
        )()
        for code, (mnemonic, kind) in kinds.items()
    }


def _creations(rules: frozenset[Rule]) -> dict[int, OpcodeAPI]:
    kinds: dict[int, tuple[str, Any]] = {op.CREATE: (mnemonics.CREATE, creation.Create)}
    if Rule.CREATE2 in rules:
        kinds[op.CREATE2] = (mnemonics.CREATE2, creation.Create2)
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
