"""Gas costs and limits that differ from Ethereum's Byzantium, and the intrinsic gas."""

from __future__ import annotations

from typing import Any, NamedTuple

from eth._utils.transactions import calculate_intrinsic_gas
from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.vm.forks.homestead.transactions import HOMESTEAD_TX_GAS_SCHEDULE

from devchain.evm.rootstock.upgrades import Rule

CALL = 700
EXTCODEHASH = 400
SELFDESTRUCT = 5_000
INIT_CODE_WORD = 2

CODE_LIMIT = 24_576
INIT_CODE_LIMIT = 49_152
CALL_DEPTH = 400
EARLIER_CALL_DEPTH = 1_024

_CHEAPER_CALLDATA = HOMESTEAD_TX_GAS_SCHEDULE._replace(gas_txdatanonzero=16)


def init_code_gas(size: int, rules: frozenset[Rule]) -> int:
    """Gas for init code of that many bytes, besides its execution (RSKIP438)."""
    return INIT_CODE_WORD * (size + 31 >> 5) if Rule.INIT_CODE_LIMIT in rules else 0


class Payload(NamedTuple):
    """The fields of a transaction that its intrinsic gas depends on."""

    to: bytes
    data: bytes


def intrinsic_gas(transaction: Any, rules: frozenset[Rule]) -> int:
    """Gas that a transaction costs before execution."""
    schedule = _CHEAPER_CALLDATA if Rule.CHEAPER_CALLDATA in rules else HOMESTEAD_TX_GAS_SCHEDULE
    gas = calculate_intrinsic_gas(schedule, transaction)
    if transaction.to == CREATE_CONTRACT_ADDRESS:
        gas += init_code_gas(len(transaction.data), rules)
    return gas
