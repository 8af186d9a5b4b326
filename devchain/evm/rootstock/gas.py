"""Rootstock's gas where it has a figure or a limit of its own; the rest are py-evm's."""

from __future__ import annotations

from typing import Any, NamedTuple

from eth._utils.numeric import ceil32
from eth._utils.transactions import IntrinsicGasSchedule, calculate_intrinsic_gas
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
    """What that many bytes of init code cost before they run (RSKIP438)."""
    return INIT_CODE_WORD * (ceil32(size) // 32) if Rule.INIT_CODE_LIMIT in rules else 0


class Payload(NamedTuple):
    """As much of a transaction as its gas before any code depends on."""

    to: bytes
    data: bytes


def intrinsic_gas(transaction: Any, rules: frozenset[Rule]) -> int:
    """What a transaction costs before any code runs."""
    gas = calculate_intrinsic_gas(_schedule(rules), transaction)
    if transaction.to == CREATE_CONTRACT_ADDRESS:
        gas += init_code_gas(len(transaction.data), rules)
    return gas


def _schedule(rules: frozenset[Rule]) -> IntrinsicGasSchedule:
    return _CHEAPER_CALLDATA if Rule.CHEAPER_CALLDATA in rules else HOMESTEAD_TX_GAS_SCHEDULE
