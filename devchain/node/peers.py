"""Client addresses: the ban list, and a score of each client's requests."""

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
"""Addresses with a score; the one without a request for longest is dropped first."""

MAPPED_BITS = 96
MAX_QUOTED = 60

IpAddress = IPv4Address | IPv6Address
IpNetwork = IPv4Network | IPv6Network


class PeerEvent(StrEnum):
    """A client's request by its outcome; the values are members of the real node's peer list."""

    REFUSED = "failedHandshakes"
    SENT = "validTransactions"
    SENT_BAD = "invalidTransactions"
    MALFORMED = "invalidMessages"
    UNKNOWN_METHOD = "unexpectedMessages"
    ANSWERED = "answered"

    __hash__ = str.__hash__  # in C: that of enumerations is Python, and each request is counted


GOOD_EVENTS = {PeerEvent.SENT, PeerEvent.ANSWERED}


@dataclass(slots=True)
class Score:
    """The events of one address, and their sum.

    As on the real node a good event counts 1 up; a bad one first resets what was gained, then
    counts 1 down. An address below zero stays there until it is cleared.
    """

    counts: Counter[PeerEvent] = field(default_factory=Counter)
    total: int = 0

    def add(self, event: PeerEvent) -> None:
        """Count one more event."""
        counts = self.counts
        counts[event] = counts.get(event, 0) + 1  # `+=` on a `Counter` takes twice as long
        if event not in GOOD_EVENTS:
            self.total = min(self.total, 0) - 1
        elif self.total >= 0:
            self.total += 1

    @property
    def is_good(self) -> bool:
        """Whether the address has had no bad event since it was cleared."""
        return self.total >= 0


class Peers:
    """The ban list and the scores of a node's clients.

    They are no part of the chain's state: a revert or a reset changes neither. No client is banned
    for its score.
    """

    def __init__(self) -> None:
        """Start without bans and scores."""
        self._banned: set[IpNetwork] = set()
        self._scores: OrderedDict[str, Score] = OrderedDict()
        self._newest: tuple[str, Score] | None = None  # client of the last request, its score

    # Bans

    def ban(self, text: str) -> None:
        """Refuse an address, or all of a network in CIDR form, from now on.

        Raises `InvalidInput` for what is neither, for loopback and for the wildcard address.
        """
        network = _network(text)
        if len(self._banned) >= MAX_BANS and network not in self._banned:
            raise LimitExceeded(
                f"{MAX_BANS} bans are the most there can be: ban networks, or lift some bans"
            )
        self._banned.add(network)

    def unban(self, text: str) -> None:
        """Lift the ban of exactly that address or network, if it is banned."""
        self._banned.discard(_network(text))

    def banned(self) -> list[str]:
        """The banned addresses, then the networks."""
        ordered = sorted(self._banned, key=lambda each: (each.num_addresses > 1, str(each)))
        return [_shown(each) for each in ordered]

    def refuses(self, peer: str | None) -> bool:
        """Whether requests of a client at that address are refused; those of loopback never are.

        `peer` is the socket's address, None for a client that has none.
        """
        if not self._banned or peer is None or self.never_refuses(peer):
            return False
        return any(_address(peer) in network for network in self._banned)

    @staticmethod
    def never_refuses(peer: str | None) -> bool:
        """Whether requests of a client at that address are answered whatever is banned."""
        address = None if peer is None else _address(peer)
        return address is None or address.is_loopback

    # Scores

    def record(self, peer: str | None, event: PeerEvent) -> None:
        """Count an event of a client; one without an address has no score."""
        if peer is None:
            return
        newest = self._newest
        if newest is None or newest[0] != peer:
            newest = self._newest = (peer, self._score(_name(peer)))
        newest[1].add(event)

    def _score(self, name: str) -> Score:
        score = self._scores.get(name)
        if score is None:
            score = self._scores[name] = Score()
            if len(self._scores) > MAX_SCORES:
                self._scores.popitem(last=False)
        self._scores.move_to_end(name)
        return score

    def scores(self) -> Mapping[str, Score]:
        """The score of each address that has sent a request."""
        return self._scores

    def clear(self, text: str) -> None:
        """Delete the score of an address; raises `InvalidInput` if it is no IP address."""
        if _address(text) is None:
            raise InvalidInput(
                f"{_quoted(text)} is not an IP address: sco_peerList has those that are known"
            )
        self._newest = None
        self._scores.pop(_name(text), None)


def _network(text: str) -> IpNetwork:
    try:
        network = _unmapped(ip_network(text, strict=False))
    except ValueError:
        raise InvalidInput(
            f"invalid banned address {_quoted(text)}: want an IP address, or CIDR as 10.0.0.0/8",
            text,
        ) from None
    first = network.network_address
    if first.is_loopback or first.is_unspecified:
        raise InvalidInput(
            f"invalid banned address {_quoted(text)}: loopback and wildcard are never banned",
            text,
        )
    return network


def _unmapped(network: IpNetwork) -> IpNetwork:
    if isinstance(network, IPv4Network) or network.prefixlen < MAPPED_BITS:
        return network
    mapped = network.network_address.ipv4_mapped
    return network if mapped is None else IPv4Network((mapped, network.prefixlen - MAPPED_BITS))


def _shown(network: IpNetwork) -> str:
    return str(network if network.num_addresses > 1 else network.network_address)


@lru_cache(maxsize=MAX_SCORES)
def _address(text: str) -> IpAddress | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


@lru_cache(maxsize=MAX_SCORES)
def _name(peer: str) -> str:
    address = _address(peer)
    return peer if address is None else str(address)


def _quoted(text: str) -> str:
    return ascii(text)[:MAX_QUOTED]


def count_events(scores: Mapping[str, Score]) -> Iterator[tuple[PeerEvent, int]]:
    """How often each event happened, over all addresses."""
    for event in PeerEvent:
        yield event, sum(each.counts[event] for each in scores.values())
