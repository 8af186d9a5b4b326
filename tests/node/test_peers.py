"""`devchain.node.peers`"""

from __future__ import annotations

import pytest

from devchain.errors import InvalidInput, LimitExceeded
from devchain.node.peers import MAX_BANS, Peers

CLIENT = "203.0.113.7"


@pytest.fixture
def peers() -> Peers:
    """Peers without bans and counts."""
    return Peers()


class TestBan:
    @pytest.mark.parametrize(
        ("banned", "peer", "refused"),
        [
            (CLIENT, CLIENT, True),
            (CLIENT, "203.0.113.8", False),
            ("203.0.113.0/24", CLIENT, True),
            ("203.0.113.9/24", CLIENT, True),
            ("203.0.113.0/29", "203.0.113.8", False),
            (CLIENT, f"::ffff:{CLIENT}", True),
            (f"::ffff:{CLIENT}", CLIENT, True),
            ("::ffff:203.0.113.0/120", CLIENT, True),
            ("2001:db8::/32", "2001:db8:1::2", True),
            ("2001:db8::/32", CLIENT, False),
            ("fe80::1", "fe80::1%eth0", True),
            ("126.0.0.0/7", "127.0.0.1", False),
            ("126.0.0.0/7", "::ffff:127.0.0.1", False),
            ("126.0.0.0/7", "126.0.0.1", True),
        ],
    )
    def test_refuses(self, peers: Peers, banned: str, peer: str, refused: bool) -> None:
        """A ban holds for every spelling of an address and for a network, never on loopback."""
        peers.ban(banned)

        assert peers.refuses(peer) is refused

    @pytest.mark.parametrize(
        "text",
        ["", "localhost", "1.2.3", "1.2.3.4/33", "1.2.3.4/x", "10.0.0.0/8 ", "1.2.3.4,5.6.7.8"],
    )
    def test_no_network(self, peers: Peers, text: str) -> None:
        """Text that is neither address nor network is refused; the message shows valid ones."""
        with pytest.raises(InvalidInput, match="want an IP address, or CIDR as"):
            peers.ban(text)

    @pytest.mark.parametrize(
        "text",
        ["127.0.0.1", "127.1.2.3/16", "::1", "0.0.0.0/32", "0.0.0.0/0", "::", "::ffff:127.0.0.1"],
    )
    def test_never(self, peers: Peers, text: str) -> None:
        """Loopback and the wildcard address cannot be banned: no client could lift it."""
        with pytest.raises(InvalidInput, match="loopback and wildcard are never banned"):
            peers.ban(text)

        assert peers.banned() == []

    def test_listed(self, peers: Peers) -> None:
        """Addresses come before networks, each once and as the network it is."""
        for text in ("10.1.2.3/8", CLIENT, "10.0.0.0/8", f"{CLIENT}/32", "2001:db8::1"):
            peers.ban(text)

        assert peers.banned() == ["2001:db8::1", CLIENT, "10.0.0.0/8"]

    def test_unban(self, peers: Peers) -> None:
        """A ban is lifted by naming it; a part of a banned network is not."""
        peers.ban("10.0.0.0/8")
        peers.unban("10.1.1.1")
        still = peers.refuses("10.1.1.1")
        peers.unban("10.9.9.9/8")

        assert still
        assert not peers.refuses("10.1.1.1")

    def test_most(self, peers: Peers) -> None:
        """The number of bans is limited, so that no client can exhaust the memory."""
        for number in range(MAX_BANS):
            peers.ban(f"10.0.{number // 256}.{number % 256}")
        peers.ban("10.0.0.0")  # banned already

        with pytest.raises(LimitExceeded, match="1000 bans are the most"):
            peers.ban(CLIENT)


class TestBadRequests:
    def test_counts(self, peers: Peers) -> None:
        """An address has one count however it is spelled; clients in this process have none."""
        for peer in (CLIENT, f"::ffff:{CLIENT}", None):
            peers.count_bad_request(peer)

        assert peers.bad_requests == {CLIENT: 2}

    def test_clear(self, peers: Peers) -> None:
        """A count can be cleared, also of an address without one; a host name is refused."""
        peers.count_bad_request(CLIENT)
        peers.clear(f"::ffff:{CLIENT}")
        peers.clear("10.0.0.1")

        assert peers.bad_requests == {}
        with pytest.raises(InvalidInput, match="'everyone' is not an IP address"):
            peers.clear("everyone")
