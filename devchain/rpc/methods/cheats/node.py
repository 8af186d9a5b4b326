"""Methods for information about the node, its log, and reset."""

from __future__ import annotations

from eth_hash.auto import keccak

from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.methods.web3 import client_version
from devchain.rpc.result_objects import JsonObject
from devchain.rpc.scalar_decoders import JsonMap
from devchain.types import Hash32


@rpc("hardhat_metadata", "anvil_metadata")
def metadata(node: Node) -> JsonObject:
    """Client version, chain id, latest block, and the snapshots with block number and hash.

    `instanceId` changes with each reset and, unless the clock is fixed, each start. Chain id and
    block numbers are JSON numbers, as in Hardhat and anvil.
    """
    head = node.chain.head
    return {
        "clientVersion": client_version(node),
        "chainId": Number(node.config.effective_chain_id),
        "instanceId": _instance_id(node),
        "latestBlockNumber": Number(head.number),
        "latestBlockHash": head.hash,
        "snapshots": {
            hex(each): [Number(snapshot.chain.height), snapshot.chain.head]
            for each, snapshot in node.snapshots.all().items()
        },
    }


def _instance_id(node: Node) -> Hash32:
    return Hash32(keccak(node.chain.block(node.chain.first).hash + node.resets.to_bytes(8, "big")))


@rpc("anvil_nodeInfo", "hardhat_nodeInfo")
def node_info(node: Node) -> JsonObject:
    """The head, the hardfork, and gas limit and prices for the next transaction.

    Chain id and timestamp are JSON numbers, as in anvil. `forkConfig` is empty: the node does not
    fork another chain.
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
            "gasLimit": node.chain.max_transaction_gas(),
            "gasPrice": node.gas_price(),
        },
        "forkConfig": {"forkUrl": None, "forkBlockNumber": None, "forkRetryBackoff": None},
    }


@rpc("hardhat_setLoggingEnabled", "anvil_setLoggingEnabled")
def set_logging_enabled(node: Node, enabled: bool) -> bool:
    """Turn the node's activity log on or off; true."""
    node.logging_enabled = enabled
    return True


@rpc("hardhat_reset", "anvil_reset", slow=True)
def reset(node: Node, options: JsonMap | None = None) -> bool:
    """Reset the chain to genesis; mempool, filters and snapshots are cleared; true.

    Error -32602 for options with the `jsonRpcUrl` of a chain to fork.
    """
    forking = options.get("forking") if options else None
    # viem always sends `forking`, with nothing in it.
    if forking and (not isinstance(forking, dict) or any(forking.values())):
        raise InvalidInput("the node does not fork other chains: leave forking out to reset")
    node.reset()
    return True
