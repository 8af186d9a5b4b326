"""`sco_` methods: banned client addresses, and scores of the clients.

The real node scores the peers of its network. A local chain has none: here the peers are the
clients of this node, by IP address, and the counts are of their requests. Shapes and names are the
real node's; counts without a meaning here are 0.
"""

from __future__ import annotations

from devchain.errors import LimitExceeded
from devchain.node import Node
from devchain.node.peers import PeerEvent, Score, count_events
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject

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
    """Refuse all requests from an IP address, or from a network such as `10.0.0.0/8`.

    Clients get HTTP 403, on open connections too. Loopback addresses cannot be banned. Error -32602
    for text that is not an address, for loopback and for the wildcard address; -32012 if there are
    1,000 bans. Bans are not affected by `evm_revert` and `evm_reset`.
    """
    node.peers.ban(address)


@rpc("sco_unbanAddress")
def unban_address(node: Node, address: str) -> None:
    """Remove the ban of an address or network, written as in `sco_banAddress`.

    No error if it is not banned; -32602 if it could not be.
    """
    node.peers.unban(address)


@rpc("sco_bannedAddresses")
def banned_addresses(node: Node) -> list[str]:
    """The banned addresses, followed by the banned networks."""
    return node.peers.banned()


@rpc("sco_peerList")
def peer_list(node: Node) -> list[JsonObject]:
    """The addresses of all clients that sent requests, with counts by kind of request.

    `failedHandshakes` counts wrong API keys, `validTransactions` and `invalidTransactions` sent
    transactions, `invalidMessages` malformed requests, `unexpectedMessages` unknown methods. A bad
    request makes the `score` negative, and it stays so until `sco_clearPeerScoring`.
    """
    return [_entry(address, score) for address, score in node.peers.scores().items()]


@rpc("sco_reputationSummary")
def reputation_summary(node: Node) -> JsonObject:
    """The counts of `sco_peerList`, summed over all addresses."""
    scores = node.peers.scores()
    good = sum(each.is_good for each in scores.values())
    counted = dict.fromkeys(COUNTS, 0) | _known(dict(count_events(scores)))
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
    """Delete the score of an address; the remaining list of `sco_peerList`."""
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
    return {str(event): number for event, number in counts.items() if event in COUNTS}
