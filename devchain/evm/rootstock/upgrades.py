"""Rootstock's network upgrades in order, and what each changes in the EVM; needs no py-evm."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Rule(IntEnum):
    """One change of the EVM, by the number of the RSKIP that describes it."""

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


@dataclass(frozen=True, slots=True)
class Upgrade:
    """One upgrade: its name, the node's own spelling of it, and the rules it adds."""

    name: str
    alias: str
    adds: frozenset[Rule]


def _upgrade(name: str, alias: str, *adds: Rule) -> Upgrade:
    return Upgrade(name, alias, frozenset(adds))


UPGRADES = (
    _upgrade("orchid", "orchid", Rule.PRECOMPILE_CODE_SIZE, Rule.STATICCALL),
    _upgrade("orchid060", "orchid060", Rule.STATICCALL_WITHOUT_VALUE),
    _upgrade(
        "wasabi",
        "wasabi100",
        Rule.HD_WALLET_UTILS,
        Rule.BLOCK_HEADER,
        Rule.SHIFTS,
        Rule.CREATE2,
    ),
    _upgrade("twotothree", "twoToThree", Rule.CALL_DEPTH_400),
    _upgrade(
        "papyrus",
        "papyrus200",
        Rule.BN128,
        Rule.EXTCODEHASH,
        Rule.SELFBALANCE,
        Rule.CHAINID,
    ),
    _upgrade(
        "iris",
        "iris300",
        Rule.BLAKE2F,
        Rule.CLEAN_RETURN_DATA,
        Rule.CREATION_KEEPS_BALANCE,
        Rule.NO_DUPN_SWAPN_TXINDEX,
        Rule.CONTAINED_PRECOMPILE_ERRORS,
    ),
    _upgrade("fingerroot", "fingerroot500"),
    _upgrade(
        "arrowhead",
        "arrowhead600",
        Rule.ENVIRONMENT,
        Rule.PUSH0,
        Rule.CHEAPER_CALLDATA,
        Rule.BASEFEE,
    ),
    _upgrade(
        "lovell",
        "lovell700",
        Rule.INIT_CODE_LIMIT,
        Rule.MCOPY,
        Rule.TRANSIENT_STORAGE,
        Rule.FAILED_CREATION,
    ),
    _upgrade("reed", "reed800", Rule.SECP256K1),
    _upgrade("reed810", "reed810", Rule.BLOCK_HEADER_WORK),
    _upgrade("vetiver", "vetiver900", Rule.RESERVED_CODE_PREFIX, Rule.BLAKE2F_INPUT),
)
"""Every upgrade, oldest first; on a real network each keeps what the ones before it added."""

ROOTSTOCK_FORKS = tuple(upgrade.name for upgrade in UPGRADES)
"""The names `--hardfork` takes, oldest first."""

ALIASES = {
    upgrade.alias: upgrade.name for upgrade in UPGRADES if upgrade.alias != upgrade.name
}
"""The Rootstock node's spellings of those names."""

NEWEST = ROOTSTOCK_FORKS[-1]


def rules(name: str) -> frozenset[Rule]:
    """What is in force under that upgrade: its own rules and all earlier ones."""
    upto = UPGRADES[: ROOTSTOCK_FORKS.index(name) + 1]
    return frozenset().union(*(upgrade.adds for upgrade in upto))
