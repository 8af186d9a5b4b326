"""Methods that tell what kind of chain this is, start it anew, and keep its log quiet."""

from __future__ import annotations

from eth_hash.auto import keccak

from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.rpc.decoders import JsonMap
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.methods.web3 import client_version
from devchain.rpc.objects import JsonObject
from devchain.types import Hash32


@rpc("hardhat_metadata", "anvil_metadata")
def metadata(node: Node) -> JsonObject:
    """What the node is, where its chain is, and its snapshots with number and hash.

    `instanceId` is another after each reset and, unless the clock stands still, each start. Chain
    id and block numbers are JSON numbers, as Hardhat and anvil have them.
    """
    head = node.chain.head
    return {
        "clientVersion": client_version(node),
        "chainId": Number(node.config.effective_chain_id),
        "instanceId": _instance(node),
        "latestBlockNumber": Number(head.number),
        "latestBlockHash": head.hash,
        "snapshots": {
            hex(each): [Number(snapshot.chain.height), snapshot.chain.head]
            for each, snapshot in node.snapshots.all().items()
        },
    }


def _instance(node: Node) -> Hash32:
    return Hash32(keccak(node.chain.block(0).hash + node.resets.to_bytes(8, "big")))


@rpc("anvil_nodeInfo", "hardhat_nodeInfo")
def node_info(node: Node) -> JsonObject:
    """The head, the hardfork, and what the next transaction has to reckon with.

    Chain id and timestamp are JSON numbers, as anvil has them. `forkConfig` is empty: the node
    forks no other chain.
    """
    head = node.chain.head
    return {
        "currentBlockNumber": head.number,
        "currentBlockTimestamp": Number(head.timestamp),
        "currentBlockHash": head.hash,
        "hardFork": node.config.hardfork,
        "transactionOrder": "fees",
        "environment": {
            "baseFee": node.chain.lowest_gas_price(),
            "chainId": Number(node.config.effective_chain_id),
            "gasLimit": node.chain.most_gas(),
            "gasPrice": node.gas_price(),
        },
        "forkConfig": {"forkUrl": None, "forkBlockNumber": None, "forkRetryBackoff": None},
    }


@rpc("hardhat_setLoggingEnabled", "anvil_setLoggingEnabled")
def set_logging_enabled(node: Node, enabled: bool) -> bool:
    """Show in the node's log what happens, or keep it quiet; true."""
    node.logging_enabled = enabled
    return True


@rpc("hardhat_reset", "anvil_reset")
def reset(node: Node, options: JsonMap | None = None) -> bool:
    """Go back to genesis; mempool, filters and snapshots are dropped; true.

    Error -32602 for options that ask for a fork of another chain, which name its `jsonRpcUrl`.
    """
    forking = options.get("forking") if options else None
    # viem always sends `forking`, with nothing in it.
    if forking and (not isinstance(forking, dict) or any(forking.values())):
        msg = "the node forks no other chain: leave forking out to go back to genesis"
        raise InvalidInput(msg)
    node.reset()
    return True
