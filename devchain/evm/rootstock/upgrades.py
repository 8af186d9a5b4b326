"""Rootstock's network upgrades in order, and the EVM rules (RSKIPs) each activates."""

from __future__ import annotations

from enum import IntEnum

from devchain.networks import is_since


class Rule(IntEnum):
    """A change of opcodes, messages or gas; the value is the number of its RSKIP.

    The tables of precompiled contracts have their changes, by upgrade.
    """

    STATICCALL_WITHOUT_VALUE = 103
    SHIFTS = 120
    CREATE2 = 125
    EXTCODEHASH = 140
    CALL_DEPTH_400 = 150
    SELFBALANCE = 151
    CHAINID = 152
    CLEAN_RETURN_DATA = 171
    CREATION_KEEPS_BALANCE = 174
    NO_DUPN_SWAPN_TXINDEX = 191
    CONTAINED_PRECOMPILE_ERRORS = 197
    PUSH0 = 398
    CHEAPER_CALLDATA = 400
    BASEFEE = 412
    INIT_CODE_LIMIT = 438
    MCOPY = 445
    TRANSIENT_STORAGE = 446
    FAILED_CREATION = 453
    RESERVED_CODE_PREFIX = 544


UPGRADES: dict[str, frozenset[Rule]] = {
    "orchid": frozenset(),
    "orchid060": frozenset({Rule.STATICCALL_WITHOUT_VALUE}),
    "wasabi": frozenset({Rule.SHIFTS, Rule.CREATE2}),
    "twotothree": frozenset({Rule.CALL_DEPTH_400}),
    "papyrus": frozenset({Rule.EXTCODEHASH, Rule.SELFBALANCE, Rule.CHAINID}),
    "iris": frozenset(
        {
            Rule.CLEAN_RETURN_DATA,
            Rule.CREATION_KEEPS_BALANCE,
            Rule.NO_DUPN_SWAPN_TXINDEX,
            Rule.CONTAINED_PRECOMPILE_ERRORS,
        }
    ),
    "fingerroot": frozenset(),
    "arrowhead": frozenset({Rule.PUSH0, Rule.CHEAPER_CALLDATA, Rule.BASEFEE}),
    "lovell": frozenset(
        {Rule.INIT_CODE_LIMIT, Rule.MCOPY, Rule.TRANSIENT_STORAGE, Rule.FAILED_CREATION}
    ),
    "reed": frozenset(),
    "reed810": frozenset(),
    "vetiver": frozenset({Rule.RESERVED_CODE_PREFIX}),
}
"""Rules that each upgrade activates, oldest upgrade first."""


def rules_of(upgrade: str) -> frozenset[Rule]:
    """Rules that are active under an upgrade: its own and all earlier ones."""
    return frozenset().union(*(UPGRADES[name] for name in UPGRADES if is_since(upgrade, name)))
