"""`sco_` methods: banned client addresses, and bad requests by address.

Where the real node has peers, here are the clients of this node, by IP address, that have sent bad
requests. Shapes and names are the real node's; counts without a meaning here are 0.
"""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject

COUNTS = (
    *("successfulHandshakes", "failedHandshakes", "invalidNetworks", "repeatedMessages"),
    *("validBlocks", "validTransactions", "invalidBlocks", "invalidTransactions"),
    *("invalidMessages", "timeoutMessages", "unexpectedMessages", "invalidHeader"),
)


@rpc("sco_banAddress")
def ban_address(node: Node, address: str) -> None:
    """Refuse all requests from an IP address or a network such as `10.0.0.0/8` (HTTP 403).

    Bans outlive `evm_revert` and `evm_reset`. Error -32602: the text is no address, or a loopback
    or wildcard address. Error -32012: there are 1,000 bans.
    """
    node.peers.ban(address)


@rpc("sco_unbanAddress")
def unban_address(node: Node, address: str) -> None:
    """Remove the ban of an address or network, if there is one."""
    node.peers.unban(address)


@rpc("sco_bannedAddresses")
def banned_addresses(node: Node) -> list[str]:
    """The banned addresses, followed by the banned networks."""
    return node.peers.banned()


@rpc("sco_peerList")
def peer_list(node: Node) -> list[JsonObject]:
    """The addresses that sent malformed or unknown requests, or a wrong API key.

    `invalidMessages` is the number of such requests, and `score` the same below zero.
    """
    return [
        {
            **_counts(bad_requests),
            "score": Number(-bad_requests),
            "punishments": Number(0),
            "goodReputation": False,
            "punishedUntil": Number(0),
            "id": address,
            "type": "address",
        }
        for address, bad_requests in node.peers.bad_requests.items()
    ]


@rpc("sco_reputationSummary")
def reputation_summary(node: Node) -> JsonObject:
    """The counts of `sco_peerList`, summed over all addresses."""
    by_address = node.peers.bad_requests
    total = sum(by_address.values())
    return {
        "count": Number(len(by_address)),
        **_counts(total),
        "peersTotalScore": Number(-total),
        "punishments": Number(0),
        "goodReputationCount": Number(0),
        "badReputationCount": Number(len(by_address)),
    }


@rpc("sco_clearPeerScoring")
def clear_peer_scoring(node: Node, address: str) -> list[JsonObject]:
    """Forget the bad requests of an address, and return what remains of `sco_peerList`."""
    node.peers.clear(address)
    return peer_list(node)


def _counts(bad_requests: int) -> dict[str, Number]:
    return dict.fromkeys(COUNTS, Number(0)) | {"invalidMessages": Number(bad_requests)}
