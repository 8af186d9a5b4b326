"""Rootstock's network upgrades in order, and the EVM rules (RSKIPs) each activates."""

from __future__ import annotations

from enum import IntEnum

from devchain.networks import is_since


class Rule(IntEnum):
    """A change of the EVM; the value is the number of its RSKIP."""

    PRECOMPILE_CODE_SIZE = 90
    STATICCALL = 91
    STATICCALL_WITHOUT_VALUE = 103
    HD_WALLET_UTILS = 106
    BLOCK_HEADER = 119
    SHIFTS = 120
    CREATE2 = 125
    BN128 = 137
    EXTCODEHASH = 140
    CALL_DEPTH_400 = 150
    SELFBALANCE = 151
    CHAINID = 152
    BLAKE2F = 153
    CLEAN_RETURN_DATA = 171
    CREATION_KEEPS_BALANCE = 174
    NO_DUPN_SWAPN_TXINDEX = 191
    CONTAINED_PRECOMPILE_ERRORS = 197
    ENVIRONMENT = 203
    PUSH0 = 398
    CHEAPER_CALLDATA = 400
    BASEFEE = 412
    INIT_CODE_LIMIT = 438
    MCOPY = 445
    TRANSIENT_STORAGE = 446
    FAILED_CREATION = 453
    SECP256K1 = 516
    BLOCK_HEADER_WORK = 536
    RESERVED_CODE_PREFIX = 544
    BLAKE2F_INPUT = 552


UPGRADES: dict[str, frozenset[Rule]] = {
    "orchid": frozenset({Rule.PRECOMPILE_CODE_SIZE, Rule.STATICCALL}),
    "orchid060": frozenset({Rule.STATICCALL_WITHOUT_VALUE}),
    "wasabi": frozenset({Rule.HD_WALLET_UTILS, Rule.BLOCK_HEADER, Rule.SHIFTS, Rule.CREATE2}),
    "twotothree": frozenset({Rule.CALL_DEPTH_400}),
    "papyrus": frozenset({Rule.BN128, Rule.EXTCODEHASH, Rule.SELFBALANCE, Rule.CHAINID}),
    "iris": frozenset(
        {
            Rule.BLAKE2F,
            Rule.CLEAN_RETURN_DATA,
            Rule.CREATION_KEEPS_BALANCE,
            Rule.NO_DUPN_SWAPN_TXINDEX,
            Rule.CONTAINED_PRECOMPILE_ERRORS,
        }
    ),
    "fingerroot": frozenset(),
    "arrowhead": frozenset({Rule.ENVIRONMENT, Rule.PUSH0, Rule.CHEAPER_CALLDATA, Rule.BASEFEE}),
    "lovell": frozenset(
        {Rule.INIT_CODE_LIMIT, Rule.MCOPY, Rule.TRANSIENT_STORAGE, Rule.FAILED_CREATION}
    ),
    "reed": frozenset({Rule.SECP256K1}),
    "reed810": frozenset({Rule.BLOCK_HEADER_WORK}),
    "vetiver": frozenset({Rule.RESERVED_CODE_PREFIX, Rule.BLAKE2F_INPUT}),
}
"""Rules that each upgrade activates, oldest upgrade first."""


def rules_of(upgrade: str) -> frozenset[Rule]:
    """Rules that are active under an upgrade: its own and all earlier ones."""
    return frozenset().union(*(UPGRADES[name] for name in UPGRADES if is_since(upgrade, name)))
