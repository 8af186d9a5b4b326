"""`sco_` methods: who may call, and how well clients have behaved.

The real node scores the peers of its network. A dev chain has none: here the peers are the clients
of this node, by the address of their socket, and the counts are of their requests. Shapes and names
are the real node's; what has no meaning here is 0.
"""

from __future__ import annotations

from devchain.errors import LimitExceeded
from devchain.node import Node
from devchain.node.peers import PeerEvent, Score, total
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.objects import JsonObject

COUNTS = (
    "successfulHandshakes",
    "failedHandshakes",
    "invalidNetworks",
    "repeatedMessages",
    "validBlocks",
    "validTransactions",
    "invalidBlocks",
    "invalidTransactions",
    "invalidMessages",
    "timeoutMessages",
    "unexpectedMessages",
    "invalidHeader",
)


@rpc("sco_banAddress", raises=(LimitExceeded,))
def ban_address(node: Node, address: str) -> None:
    """Refuse every request from an IP address, or from a network such as `10.0.0.0/8`.

    Its clients get HTTP 403, open connections included. Loopback is never refused. Error -32602 for
    what is no address, for loopback and for the wildcard address; -32012 when there are 1,000 bans.
    A ban outlasts `evm_revert` and `evm_reset`.
    """
    node.peers.ban(address)


@rpc("sco_unbanAddress")
def unban_address(node: Node, address: str) -> None:
    """Answer an address or network again that `sco_banAddress` named just so.

    No error if it is not banned; -32602 for what cannot be.
    """
    node.peers.unban(address)


@rpc("sco_bannedAddresses")
def banned_addresses(node: Node) -> list[str]:
    """The banned addresses, then the banned networks."""
    return node.peers.banned()


@rpc("sco_peerList")
def peer_list(node: Node) -> list[JsonObject]:
    """Every client address that has called, with what its requests were like.

    `failedHandshakes` counts wrong API keys, `validTransactions` and `invalidTransactions` what was
    sent, `invalidMessages` malformed requests, `unexpectedMessages` unknown methods. A bad request
    takes the `score` below zero, where it stays until `sco_clearPeerScoring`.
    """
    return [_entry(address, score) for address, score in node.peers.scores().items()]


@rpc("sco_reputationSummary")
def reputation_summary(node: Node) -> JsonObject:
    """The counts of `sco_peerList` summed over all addresses."""
    scores = node.peers.scores()
    good = sum(each.is_good for each in scores.values())
    counted = dict.fromkeys(COUNTS, 0) | _known(dict(total(scores)))
    numbers = {
        "count": len(scores),
        **counted,
        "peersTotalScore": sum(each.total for each in scores.values()),
        "punishments": 0,
        "goodReputationCount": good,
        "badReputationCount": len(scores) - good,
    }
    return {name: Number(value) for name, value in numbers.items()}


@rpc("sco_clearPeerScoring")
def clear_peer_scoring(node: Node, address: str) -> list[JsonObject]:
    """Forget what an address has done; the list of `sco_peerList` without it."""
    node.peers.clear(address)
    return peer_list(node)


def _entry(address: str, score: Score) -> JsonObject:
    counted = dict.fromkeys(COUNTS, 0) | _known(score.counts)
    return {
        **{name: Number(value) for name, value in counted.items()},
        "score": Number(score.total),
        "punishments": Number(0),
        "goodReputation": score.is_good,
        "punishedUntil": Number(0),
        "id": address,
        "type": "address",
    }


def _known(counts: dict[PeerEvent, int]) -> dict[str, int]:
    """The counts that the real node's list has."""
    return {str(event): number for event, number in counts.items() if event in COUNTS}
