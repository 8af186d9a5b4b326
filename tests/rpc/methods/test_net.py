"""`devchain.rpc.methods.net`"""

from __future__ import annotations

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node
from devchain.rpc.methods.net import listening, peer_count, peer_list, version


class TestVersion:
    @pytest.mark.parametrize(
        ("network", "expected"), [("main", "30"), ("test", "31"), ("dev", "32"), ("local", "33")]
    )
    def test_networks(self, network: str, expected: str) -> None:
        """Each network has its id, as decimal text."""
        assert version(Node(Config(network=network))) == expected

    def test_on_the_wire(self, client: LocalClient) -> None:
        """The text leaves as it is."""
        assert client.call("net_version") == "31"


class TestListening:
    def test_always(self, node: Node) -> None:
        """The node always listens."""
        assert listening(node) is True


class TestPeerCount:
    def test_on_the_wire(self, client: LocalClient) -> None:
        """The peer count is QUANTITY 0."""
        assert client.call("net_peerCount") == "0x0"

    def test_none(self, node: Node) -> None:
        """There are no peers."""
        assert peer_count(node) == 0


class TestPeerList:
    def test_none(self, node: Node) -> None:
        """There are no peers."""
        assert peer_list(node) == []
