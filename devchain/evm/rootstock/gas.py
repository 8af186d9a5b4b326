"""Rootstock's gas: of SSTORE and what else differs from Byzantium, limits, the intrinsic gas."""

from __future__ import annotations

from typing import Any

import rlp
from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.exceptions import VMError
from eth.vm.forks.berlin.constants import COLD_ACCOUNT_ACCESS_COST, WARM_STORAGE_READ_COST
from eth.vm.forks.berlin.logic import GAS_SCHEDULE_EIP2929
from eth.vm.forks.berlin.transactions import AccountAccesses
from eth.vm.forks.homestead.transactions import HOMESTEAD_TX_GAS_SCHEDULE
from eth.vm.forks.prague.transactions import SetCodeTransaction, UnsignedSetCodeTransaction
from rlp.sedes import CountableList

from devchain.evm.opcodes import OpcodeRules, SstoreGas
from devchain.evm.rootstock.upgrades import Rule

CALL = 700
EXTCODEHASH = 400
SELFDESTRUCT = 5_000
EXP_BYTE = 50
SSTORE = SstoreGas(set=20_000, reset=5_000, clear_refund=15_000)  # no net metering, no warm slots
OPCODE_RULES = OpcodeRules(sstore="plain", sstore_gas=SSTORE, exp_byte_gas=EXP_BYTE)
# since RSKIP555
ACCESS_RULES = OpcodeRules("eip2929", GAS_SCHEDULE_EIP2929, EXP_BYTE, has_warm_slots=True)
INIT_CODE_WORD = 2

CODE_LIMIT = 24_576
INIT_CODE_LIMIT = 49_152
CALL_DEPTH = 400
EARLIER_CALL_DEPTH = 1_024

ACCESS_LIST_BYTE = 80
AUTHORIZATION, AUTHORIZATION_REFUND = 25_000, 9_500  # back if the account delegates already

_CHEAPER_CALLDATA = HOMESTEAD_TX_GAS_SCHEDULE._replace(gas_txdatanonzero=16)


class CodeTooLarge(VMError):
    """The code of a new contract is larger than 24,576 bytes."""


class InitCodeTooLarge(VMError):
    """The init code of a new contract is larger than 49,152 bytes (RSKIP438)."""


def init_code_gas(size: int, rules: frozenset[Rule]) -> int:
    """Gas for init code of that many bytes, besides its execution (RSKIP438)."""
    return INIT_CODE_WORD * (size + 31 >> 5) if Rule.INIT_CODE_LIMIT in rules else 0


def access_gas(state: Any, address: bytes) -> int:
    """Gas for the use of an account, which makes it warm for the transaction (RSKIP555)."""
    if state.is_address_warm(address):
        return WARM_STORAGE_READ_COST
    state.mark_address_warm(address)
    return COLD_ACCOUNT_ACCESS_COST


def intrinsic_gas(to: bytes, data: bytes, rules: frozenset[Rule]) -> int:
    """Gas that a transaction to that recipient, with that data, costs before execution."""
    costs = _CHEAPER_CALLDATA if Rule.CHEAPER_CALLDATA in rules else HOMESTEAD_TX_GAS_SCHEDULE
    size, zeros = len(data), data.count(0)
    gas = costs.gas_tx + zeros * costs.gas_txdatazero + (size - zeros) * costs.gas_txdatanonzero
    if to == CREATE_CONTRACT_ADDRESS:
        gas += costs.gas_txcreate + init_code_gas(size, rules)
    return gas


def typed_gas(tx: Any, rules: frozenset[Rule]) -> int:
    """The same for a typed transaction: by byte of the access list, and by authorization."""
    gas = intrinsic_gas(tx.to, tx.data, rules)
    if tx.access_list:
        gas += ACCESS_LIST_BYTE * len(rlp.encode(tx.access_list, CountableList(AccountAccesses)))
    is_set_code = isinstance(tx, SetCodeTransaction | UnsignedSetCodeTransaction)
    return gas + (AUTHORIZATION * len(tx.authorization_list) if is_set_code else 0)
