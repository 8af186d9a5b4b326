"""The names of the rules on offer, as data: Rootstock's upgrades and Ethereum's hardforks."""

from __future__ import annotations

ROOTSTOCK = (
    "orchid",
    "orchid060",
    "wasabi",
    "twotothree",
    "papyrus",
    "iris",
    "fingerroot",
    "arrowhead",
    "lovell",
    "reed",
    "reed810",
    "vetiver",
)
"""Rootstock's upgrades, oldest first."""

ETHEREUM = (
    "frontier",
    "homestead",
    "tangerinewhistle",
    "spuriousdragon",
    "byzantium",
    "constantinople",
    "petersburg",
    "istanbul",
    "muirglacier",
    "berlin",
    "london",
    "arrowglacier",
    "grayglacier",
    "paris",
    "shanghai",
    "cancun",
    "prague",
)
"""Ethereum's hardforks, oldest first."""

ALIASES = {
    "wasabi100": "wasabi",
    "twoToThree": "twotothree",
    "papyrus200": "papyrus",
    "iris300": "iris",
    "fingerroot500": "fingerroot",
    "arrowhead600": "arrowhead",
    "lovell700": "lovell",
    "reed800": "reed",
    "vetiver900": "vetiver",
}
"""The Rootstock node's own spellings."""

NEWEST = ROOTSTOCK[-1]
HARDFORKS = ROOTSTOCK + ETHEREUM


def canonical(name: str) -> str:
    """The name of a hardfork as it is spelt here."""
    return ALIASES.get(name, name)


def is_ethereum(name: str) -> bool:
    """Whether a hardfork is one of Ethereum's."""
    return name in ETHEREUM
