"""Clients by IP address: the ban list, and how many bad requests each has sent."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from devchain.errors import InvalidInput, LimitExceeded

MAX_BANS = MAX_COUNTED = 1_000  # and addresses with bad requests; the first ones are dropped
MAX_QUOTED = 60

IpAddress = IPv4Address | IPv6Address
IpNetwork = IPv4Network | IPv6Network


class Peers:
    """The ban list of a node, and the number of bad requests by address in `bad_requests`.

    A revert or a reset changes neither. No client is banned for its requests.
    """

    def __init__(self) -> None:
        self._banned: set[IpNetwork] = set()
        self.bad_requests: dict[str, int] = {}

    def ban(self, text: str) -> None:
        """Refuse an address, or a network in CIDR form, but not loopback or the wildcard."""
        network = _network(text)
        if len(self._banned) >= MAX_BANS and network not in self._banned:
            raise LimitExceeded(
                f"{MAX_BANS} bans are the most there can be: ban networks, or lift some bans"
            )
        self._banned.add(network)

    def unban(self, text: str) -> None:
        self._banned.discard(_network(text))

    def banned(self) -> list[str]:
        addresses = [str(ban.network_address) for ban in self._banned if ban.num_addresses == 1]
        networks = [str(ban) for ban in self._banned if ban.num_addresses > 1]
        return sorted(addresses) + sorted(networks)

    def refuses(self, peer: str | None) -> bool:
        """Whether requests of a client at that socket address are refused, if it has one."""
        if not self._banned or peer is None:
            return False
        address = _address(peer)
        if address is None or address.is_loopback:
            return False
        return any(address in network for network in self._banned)

    def count_bad_request(self, peer: str | None) -> None:
        """Count a request that could not be read, of a client with an address."""
        if peer is None:
            return
        name = str(_address(peer) or peer)
        if name not in self.bad_requests and len(self.bad_requests) >= MAX_COUNTED:
            del self.bad_requests[next(iter(self.bad_requests))]
        self.bad_requests[name] = self.bad_requests.get(name, 0) + 1

    def clear(self, text: str) -> None:
        """Forget the bad requests of an address; raises `InvalidInput` if it is no IP address."""
        address = _address(text)
        if address is None:
            raise InvalidInput(
                f"{ascii(text)[:MAX_QUOTED]} is not an IP address: sco_peerList has those that are "
                "known"
            )
        self.bad_requests.pop(str(address), None)


def _network(text: str) -> IpNetwork:
    wrong = f"invalid banned address {ascii(text)[:MAX_QUOTED]}"
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        hint = "want an IP address, or CIDR as 10.0.0.0/8"
        raise InvalidInput(f"{wrong}: {hint}", text) from None
    first = network.network_address
    mapped = first.ipv4_mapped if isinstance(first, IPv6Address) else None
    if mapped and network.prefixlen >= 96:  # ::ffff:10.0.0.0/104 is 10.0.0.0/8
        network, first = IPv4Network((mapped, network.prefixlen - 96)), mapped
    if first.is_loopback or first.is_unspecified:
        raise InvalidInput(f"{wrong}: loopback and wildcard are never banned", text)
    return network


@lru_cache(maxsize=1_000)
def _address(text: str) -> IpAddress | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
