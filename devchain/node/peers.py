"""Client addresses: which are banned, and how well each has behaved."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from devchain.errors import InvalidInput, LimitExceeded

MAX_BANS = 1_000
MAX_SCORES = 1_000
"""How many addresses are remembered; the one not heard of for longest is forgotten first."""

MAPPED_BITS = 96
LONGEST_SHOWN = 60

IpAddress = IPv4Address | IPv6Address
IpNetwork = IPv4Network | IPv6Network


class PeerEvent(StrEnum):
    """What a client did; the values are the members of the real node's peer list."""

    REFUSED = "failedHandshakes"
    SENT = "validTransactions"
    SENT_BAD = "invalidTransactions"
    MALFORMED = "invalidMessages"
    UNKNOWN_METHOD = "unexpectedMessages"
    ANSWERED = "answered"


GOOD = {PeerEvent.SENT, PeerEvent.ANSWERED}


@dataclass(slots=True)
class Score:
    """What one address has done, and the sum of it.

    As on the real node good conduct counts up, but bad conduct first takes away all that was
    gained; an address below zero stays there until it is cleared.
    """

    counts: Counter[PeerEvent] = field(default_factory=Counter)
    total: int = 0

    def add(self, event: PeerEvent) -> None:
        """Count one more request."""
        self.counts[event] += 1
        if event not in GOOD:
            self.total = min(self.total, 0) - 1
        elif self.total >= 0:
            self.total += 1

    @property
    def is_good(self) -> bool:
        """Whether the address has not lost its good name."""
        return self.total >= 0


class Peers:
    """The ban list and the scores of a node's clients.

    They are about who calls, not about the chain: no snapshot holds them, so that a revert or a
    reset neither lifts a ban nor forgets conduct. Nobody is banned for a score.
    """

    def __init__(self) -> None:
        """Nobody is banned, nobody known."""
        self._banned: set[IpNetwork] = set()
        self._scores: OrderedDict[str, Score] = OrderedDict()

    # Bans

    def ban(self, text: str) -> None:
        """Refuse an address, or all of a network in CIDR form, from now on.

        Raises `InvalidInput` for what is neither, for loopback and for the wildcard address.
        """
        network = _network(text)
        if len(self._banned) >= MAX_BANS and network not in self._banned:
            msg = f"{MAX_BANS} bans are the most there can be: ban networks, or lift some bans"
            raise LimitExceeded(msg)
        self._banned.add(network)

    def unban(self, text: str) -> None:
        """Lift the ban of exactly that address or network; it need not be banned."""
        self._banned.discard(_network(text))

    def banned(self) -> list[str]:
        """The banned addresses, then the networks."""
        ordered = sorted(self._banned, key=lambda each: (each.num_addresses > 1, str(each)))
        return [_shown(each) for each in ordered]

    def refuses(self, peer: str | None) -> bool:
        """Whether a client at that address is not to be answered; loopback always is.

        `peer` is the socket's address, None for a client that has none.
        """
        if not self._banned or peer is None:
            return False
        address = _address(peer)
        if address is None or address.is_loopback:
            return False
        return any(address in network for network in self._banned)

    # Scores

    def record(self, peer: str | None, event: PeerEvent) -> None:
        """Count a client's request; one without an address is not scored."""
        if peer is None:
            return
        name = _name(peer)
        score = self._scores.get(name)
        if score is None:
            score = self._scores[name] = Score()
            if len(self._scores) > MAX_SCORES:
                self._scores.popitem(last=False)
        self._scores.move_to_end(name)
        score.add(event)

    def scores(self) -> Mapping[str, Score]:
        """The score of each address that has called."""
        return self._scores

    def clear(self, text: str) -> None:
        """Forget the conduct of an address; raises `InvalidInput` if it is none."""
        if _address(text) is None:
            msg = f"{_quoted(text)} is not an IP address: sco_peerList has those that are known"
            raise InvalidInput(msg)
        self._scores.pop(_name(text), None)


def _network(text: str) -> IpNetwork:
    """What a ban names; one address is a network of its own."""
    try:
        network = _unmapped(ip_network(text, strict=False))
    except ValueError:
        msg = f"invalid banned address {_quoted(text)}: want an IP address, or CIDR as 10.0.0.0/8"
        raise InvalidInput(msg) from None
    first = network.network_address
    if first.is_loopback or first.is_unspecified:
        msg = f"invalid banned address {_quoted(text)}: loopback and wildcard are never banned"
        raise InvalidInput(msg)
    return network


def _unmapped(network: IpNetwork) -> IpNetwork:
    """The IPv4 network that an IPv6 one stands for, if it does."""
    if isinstance(network, IPv4Network) or network.prefixlen < MAPPED_BITS:
        return network
    mapped = network.network_address.ipv4_mapped
    return network if mapped is None else IPv4Network((mapped, network.prefixlen - MAPPED_BITS))


def _shown(network: IpNetwork) -> str:
    return str(network if network.num_addresses > 1 else network.network_address)


@lru_cache(maxsize=MAX_SCORES)
def _address(text: str) -> IpAddress | None:
    """An address without its scope; one mapped into IPv6 as the IPv4 address it is."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _name(peer: str) -> str:
    address = _address(peer)
    return peer if address is None else str(address)


def _quoted(text: str) -> str:
    return ascii(text)[:LONGEST_SHOWN]


def total(scores: Mapping[str, Score]) -> Iterator[tuple[PeerEvent, int]]:
    """How often each conduct was seen, over all addresses."""
    for event in PeerEvent:
        yield event, sum(each.counts[event] for each in scores.values())
