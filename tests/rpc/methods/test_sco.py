"""`devchain.rpc.methods.sco`"""

from __future__ import annotations

import json
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.methods import sco
from tests.accounts import ALICE_HEX, BOB_HEX

CLIENT_ADDRESS = "203.0.113.7"
SEND = [{"from": ALICE_HEX, "to": BOB_HEX, "value": "0x1"}]


def ask(node: Node, method: str, *params: object, peer: str = CLIENT_ADDRESS) -> None:
    """Have a client at that address call."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    list(Dispatcher(node).serve(json.dumps(body).encode(), peer))


def entry_of(node: Node, peer: str = CLIENT_ADDRESS) -> dict[str, Any]:
    """What the list says of an address, without what is 0."""
    found = [each for each in sco.peer_list(node) if each["id"] == peer]
    return {name: value for name, value in found[0].items() if value != 0}


class TestBans:
    def test_on_the_wire(self, client: LocalClient) -> None:
        """Banning answers null, and the list names it until the ban is lifted."""
        assert client.call("sco_banAddress", "10.9.8.7/8") is None
        assert client.call("sco_bannedAddresses") == ["10.0.0.0/8"]
        assert client.call("sco_unbanAddress", "10.0.0.0/8") is None
        assert client.call("sco_bannedAddresses") == []

    @pytest.mark.parametrize("method", ["sco_banAddress", "sco_unbanAddress"])
    def test_refused(self, client: LocalClient, method: str) -> None:
        """What cannot be banned is refused by both in the same words."""
        with pytest.raises(RpcFailure, match=r"invalid banned address '127\.0\.0\.1'") as failure:
            client.call(method, "127.0.0.1")

        assert failure.value.code == -32602

    def test_outlasts(self, node: Node) -> None:
        """Neither a revert nor a reset lifts a ban or forgets a score."""
        snapshot = node.snapshots.take()
        sco.ban_address(node, "10.0.0.0/8")
        ask(node, "eth_chainId")
        node.revert(snapshot)
        node.reset()

        assert sco.banned_addresses(node) == ["10.0.0.0/8"]
        assert entry_of(node)["score"] == 1


class TestPeerList:
    def test_shape(self, node: Node) -> None:
        """An entry has the members of the real node's, in its order."""
        ask(node, "eth_chainId")

        (entry,) = sco.peer_list(node)

        assert list(entry) == [
            *sco.COUNTS,
            "score",
            "punishments",
            "goodReputation",
            "punishedUntil",
            "id",
            "type",
        ]
        assert entry_of(node) == {
            "score": 1,
            "goodReputation": True,
            "id": CLIENT_ADDRESS,
            "type": "address",
        }

    @pytest.mark.parametrize(
        ("method", "params", "counted", "score"),
        [
            ("eth_sendTransaction", SEND, "validTransactions", 1),
            ("eth_sendRawTransaction", ["0x00"], "invalidTransactions", -1),
            ("eth_getBalance", ["0x00"], "invalidMessages", -1),
            ("eth_getBlance", [], "unexpectedMessages", -1),
        ],
    )
    def test_counts(
        self, node: Node, method: str, params: list[Any], counted: str, score: int
    ) -> None:
        """Each kind of request has its own count."""
        ask(node, method, *params)

        assert entry_of(node)[counted] == 1
        assert entry_of(node)["score"] == score

    def test_no_request(self, node: Node) -> None:
        """A body that is no request at all counts too, and so does each call of a batch."""
        dispatcher = Dispatcher(node)
        list(dispatcher.serve(b"{", CLIENT_ADDRESS))
        list(dispatcher.serve(b'[1, {"method": "eth_chainId"}]', CLIENT_ADDRESS))

        assert entry_of(node)["invalidMessages"] == 2
        assert entry_of(node)["score"] == -2

    def test_well_asked(self, node: Node) -> None:
        """A valid request that ends in an error does not count against the client."""
        ask(node, "eth_getFilterChanges", "0x99")

        assert entry_of(node)["score"] == 1

    def test_numbers(self, client: LocalClient, node: Node) -> None:
        """On the wire the counts are JSON numbers."""
        ask(node, "eth_chainId")

        (entry,) = client.call("sco_peerList")

        assert entry["score"] == 1
        assert type(entry["punishedUntil"]) is int


class TestReputationSummary:
    def test_sums(self, client: LocalClient, node: Node) -> None:
        """The summary adds up the addresses."""
        ask(node, "eth_chainId")
        for _ in range(2):
            ask(node, "nonsense", peer="10.0.0.1")

        found = client.call("sco_reputationSummary")

        assert {name: value for name, value in found.items() if value} == {
            "count": 2,
            "unexpectedMessages": 2,
            "peersTotalScore": -1,
            "goodReputationCount": 1,
            "badReputationCount": 1,
        }
        assert len(found) == 17


class TestClearPeerScoring:
    def test_clears(self, client: LocalClient, node: Node) -> None:
        """Clearing forgets one address and answers the rest."""
        ask(node, "nonsense")
        ask(node, "nonsense", peer="10.0.0.1")

        left = client.call("sco_clearPeerScoring", CLIENT_ADDRESS)

        assert [each["id"] for each in left] == ["10.0.0.1"]
