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
        """Neither a revert nor a reset lifts a ban or forgets a bad request."""
        snapshot = node.snapshots.take()
        sco.ban_address(node, "10.0.0.0/8")
        ask(node, "nonsense")
        node.revert(snapshot)
        node.reset()

        assert sco.banned_addresses(node) == ["10.0.0.0/8"]
        assert node.peers.bad_requests == {CLIENT_ADDRESS: 1}


class TestPeerList:
    @pytest.mark.parametrize(
        ("method", "params"), [("eth_getBalance", ["0x00"]), ("eth_getBlance", [])]
    )
    def test_bad_requests(self, node: Node, method: str, params: list[Any]) -> None:
        """Malformed parameters and unknown methods count; an entry is as the real node's."""
        ask(node, method, *params)

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
        assert {name: value for name, value in entry.items() if value} == {
            "invalidMessages": 1,
            "score": -1,
            "id": CLIENT_ADDRESS,
            "type": "address",
        }

    def test_no_request(self, node: Node) -> None:
        """A body that is no request at all counts too, and so does each call of a batch."""
        dispatcher = Dispatcher(node)
        list(dispatcher.serve(b"{", CLIENT_ADDRESS))
        list(dispatcher.serve(b'[1, {"method": "eth_chainId"}]', CLIENT_ADDRESS))

        assert node.peers.bad_requests == {CLIENT_ADDRESS: 2}

    def test_well_asked(self, node: Node) -> None:
        """A valid request does not count, if it ends in an error neither."""
        ask(node, "eth_chainId")
        ask(node, "eth_getFilterChanges", "0x99")

        assert sco.peer_list(node) == []


class TestReputationSummary:
    def test_sums(self, client: LocalClient, node: Node) -> None:
        """The summary adds up the addresses, in JSON numbers."""
        ask(node, "nonsense")
        for _ in range(2):
            ask(node, "nonsense", peer="10.0.0.1")

        summary = client.call("sco_reputationSummary")

        assert {name: value for name, value in summary.items() if value} == {
            "count": 2,
            "invalidMessages": 3,
            "peersTotalScore": -3,
            "badReputationCount": 2,
        }
        assert len(summary) == 17


class TestClearPeerScoring:
    def test_clears(self, client: LocalClient, node: Node) -> None:
        """Clearing forgets one address and answers the rest."""
        ask(node, "nonsense")
        ask(node, "nonsense", peer="10.0.0.1")

        left = client.call("sco_clearPeerScoring", CLIENT_ADDRESS)

        assert [entry["id"] for entry in left] == ["10.0.0.1"]
