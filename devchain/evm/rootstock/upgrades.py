"""The rules (RSKIPs) that each of Rootstock's upgrades activates, by network."""

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
    SET_CODE = 545
    TYPED_TRANSACTIONS = 546
    ACCESS_GAS = 555
    DIRECT_PRECOMPILE_FAILURE = 692
    DESTROYED_KEEP_NONCE = 701


UPGRADES: dict[str, tuple[int, ...]] = {
    "orchid": (85, 87, 88, 89, 90, 91, 92, 98, 136),
    "orchid060": (103,),
    "wasabi": (106, 110, 119, 120, 122, 123, 124, 125, 126, 132),
    "twotothree": (150,),
    "papyrus": (134, 137, 140, 143, 146, 151, 152, 156),
    "iris": (
        *(153, 169, 170, 171, 174, 176, 179, 180, 181, 185, 186, 191, 197),
        *(199, 200, 201, 218, 219, 220),
    ),
    "fingerroot": (  # with those of Hop
        *(252, 271, 284, 290, 293, 294, 297, 326, 353, 357, 374, 375, 377, 383, 385),
    ),
    "arrowhead": (203, 376, 379, 398, 400, 412, 415, 417),
    "lovell": (419, 427, 428, 438, 445, 446, 453, 454, 459, 460),
    "reed": (305, 516),
    "reed810": (144, 351, 502, 529, 536),
    "vetiver": (535, 540, 544, 551, 552),
    "next": (378, 455, 543, 545, 546, 555, 559, 692, 701),
}
"""RSKIPs that each upgrade activates, oldest upgrade first."""

BY_CHAIN: dict[int, dict[int, str | None]] = {
    30: {
        **dict.fromkeys((144, 351, 502, 529, 535)),
        97: "orchid",
        434: "lovell",
        536: "vetiver",
    },
}
"""What differs on the main network (30); None if a rule is never active there.

Blocks have no parallel execution (144) and headers the form from before 351 and 535 everywhere.
"""

_FIRST: dict[int, str] = {number: name for name, numbers in UPGRADES.items() for number in numbers}


def first_upgrade(rskip: int, chain_id: int) -> str | None:
    """The upgrade that activates a rule on a chain; None if none does."""
    return BY_CHAIN.get(chain_id, {}).get(rskip, _FIRST.get(rskip))


def rules_of(upgrade: str) -> frozenset[Rule]:
    """Rules that are active under an upgrade, its own and all earlier ones, on every network."""
    return frozenset(rule for rule in Rule if is_since(upgrade, _FIRST[rule]))
