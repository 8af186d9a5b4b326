"""Networks and hardforks by name: chain ids, gas limits, funded keys; units of money."""

from __future__ import annotations

from dataclasses import dataclass

from devchain.errors import ConfigError

RBTC = 10**18  # wei in one RBTC
GWEI = 10**9  # wei in one gwei

DEFAULT_FEDERATORS = 3  # of a local network, as on the Rootstock node's regtest
MOST_FEDERATORS = 14  # whose keys fit in the script of a peg-in, with the prefix of Flyover

# Hardforks

ROOTSTOCK = (
    *("orchid", "orchid060", "wasabi", "twotothree", "papyrus", "iris", "fingerroot"),
    *("arrowhead", "lovell", "reed", "reed810", "vetiver", "next"),
)
"""Rootstock's upgrades, oldest first; `next` is not at a height yet, and may change."""

ETHEREUM = (
    *("frontier", "homestead", "tangerinewhistle", "spuriousdragon", "byzantium"),
    *("constantinople", "petersburg", "istanbul", "muirglacier", "berlin", "london"),
    *("arrowglacier", "grayglacier", "paris", "shanghai", "cancun", "prague", "osaka"),
)
"""Ethereum's hardforks, oldest first."""

EXPERIMENTAL = "osaka"  # not in py-evm: it has only what devchain adds, and may change

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
    "tbd1000": "next",
    "cardamom1000": "next",
}
"""The names that the Rootstock node itself uses: the name here."""

NEWEST = "vetiver"
HARDFORKS = ROOTSTOCK + ETHEREUM
SPELLINGS = {hardfork.lower(): hardfork for hardfork in (*HARDFORKS, *ALIASES)}
"""Names and aliases of hardforks in lower case: the same as they are written."""


def is_since(hardfork: str, first: str) -> bool:
    """Whether a hardfork is that one or a later one of the same chain."""
    names = ETHEREUM if first in ETHEREUM else ROOTSTOCK
    return names.index(hardfork) >= names.index(first)


def canonical(name: str) -> str:
    """The name of a hardfork in the spelling of `HARDFORKS`."""
    return ALIASES.get(name, name)


def in_written_case(name: str) -> str:
    """The name or alias of a hardfork, given in any letter case, as it is written."""
    return SPELLINGS.get(name.lower(), name)


def is_ethereum(name: str) -> bool:
    return name in ETHEREUM


ACTIVATIONS: dict[int, dict[str, int]] = {
    30: {
        "orchid": 729_000,
        "orchid060": 1_052_700,
        "wasabi": 1_591_000,
        "twotothree": 2_018_000,
        "papyrus": 2_392_700,
        "iris": 3_614_800,
        "fingerroot": 5_468_000,
        "arrowhead": 6_223_700,
        "lovell": 7_338_024,
        "reed": 8_052_200,
        "vetiver": 8_804_200,
    },
    31: {
        "orchid": 0,
        "orchid060": 0,
        "wasabi": 0,
        "twotothree": 504_000,
        "papyrus": 863_000,
        "iris": 2_060_500,
        "fingerroot": 4_015_800,
        "arrowhead": 4_927_100,
        "lovell": 6_110_487,
        "reed": 6_835_700,
        "reed810": 7_139_600,
        "vetiver": 7_604_200,
    },
}
"""The first block of each of Rootstock's upgrades on the main (30) and the test network (31)."""


def hardfork_at(chain_id: int, number: int) -> str | None:
    """The upgrade whose rules block `number` of a chain has; None for a chain that is not known.

    Blocks of the main network before Orchid, the oldest upgrade there is here, have Orchid's.
    """
    heights = ACTIVATIONS.get(chain_id)
    if heights is None:
        return None
    return max(
        (name for name in heights if heights[name] <= number),
        key=ROOTSTOCK.index,
        default=ROOTSTOCK[0],
    )


# Networks


@dataclass(frozen=True, slots=True)
class Network:
    """The parameters of a network.

    The keccak-256 of each of the `seeds` is a private key funded with `seed_balance` wei.
    """

    name: str
    title: str
    chain_id: int
    gas_limit: int
    seeds: tuple[str, ...] = ()
    seed_balance: int = 10**30


COWS = ("cow", *(f"cow{number}" for number in range(1, 10)))  # accounts on rskj's regtest network

NETWORKS = {
    network.name: network
    for network in (
        Network("main", "Rootstock main network rules", 30, 6_800_000),
        Network("test", "Rootstock test network rules", 31, 6_800_000),
        Network("dev", "developer network", 32, 10_000_000),
        Network("local", "locally created network", 33, 10_000_000, COWS),
    )
}
"""The networks by name."""

OTHER_NAMES = {
    "mainnet": "main",
    "testnet": "test",
    "devnet": "dev",
    "regtest": "local",
    **{known: known for known in NETWORKS},  # in another letter case
}
"""What the Rootstock node and others call the networks, in lower case: the name here."""

LOCAL = NETWORKS["local"].chain_id

ETHEREUM_LOCAL = Network("local", "Ethereum's rules on a local chain", 31_337, 30_000_000)
"""The local network under an Ethereum hardfork, as Hardhat and anvil have it."""


ETHEREUM_CHAINS = frozenset({1, 10, 8453, 17000, 31337, 42161, 560048, 11155111})
"""Chain ids of networks with ether as coin; any other chain is taken to use RBTC."""


def coin(chain_id: int) -> str:
    return "ETH" if chain_id in ETHEREUM_CHAINS else "RBTC"


def network(name: str) -> Network:
    try:
        return NETWORKS[name]
    except KeyError:
        known = ", ".join(NETWORKS)
        meant = OTHER_NAMES.get(name.lower())
        hint = f"; it is {meant} here" if meant else ""
        if "," in name:
            hint = "; several are served with the option once for each of them"
        raise ConfigError(f"unknown network {name!r}; choose one of: {known}{hint}") from None
