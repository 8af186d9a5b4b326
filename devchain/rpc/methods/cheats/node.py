"""Methods for information about the node, its log, and reset."""

from __future__ import annotations

import re

from eth_hash.auto import keccak

from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.methods.web3 import client_version
from devchain.rpc.result_objects import JsonObject
from devchain.rpc.scalar_decoders import JsonMap
from devchain.types import Hash32

HEX = re.compile("0x[0-9a-fA-F]{1,16}")


@rpc("hardhat_metadata", "anvil_metadata")
def metadata(node: Node) -> JsonObject:
    """Client version, chain id, latest block, and the snapshots with block number and hash.

    Of a fork also `forkedNetwork`: chain id, number and hash of the block it was forked at.

    `instanceId` changes with each reset and, unless the clock is fixed, each start. Chain id and
    block numbers are JSON numbers, as in Hardhat and anvil.
    """
    head = node.chain.head
    fork = node.fork.block if node.fork else None
    forked = (
        {
            "chainId": Number(fork.chain_id),
            "forkBlockNumber": Number(fork.number),
            "forkBlockHash": fork.hash,
        }
        if fork
        else None
    )
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
        **({"forkedNetwork": forked} if forked else {}),
    }


def _instance_id(node: Node) -> Hash32:
    return Hash32(keccak(node.chain.block(node.chain.first).hash + node.resets.to_bytes(8, "big")))


@rpc("anvil_nodeInfo", "hardhat_nodeInfo")
def node_info(node: Node) -> JsonObject:
    """The head, the hardfork, and gas limit and prices for the next transaction.

    Chain id and timestamp are JSON numbers, as in anvil, and so are the members of `forkConfig`,
    which are null unless the chain is a fork: the URL without its path and keys, the block, the
    pause before a repeated request in milliseconds.
    """
    head = node.chain.head
    status = node.fork.status() if node.fork else None
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
        "forkConfig": {
            "forkUrl": status and status.address,
            "forkBlockNumber": status and Number(status.block.number),
            "forkRetryBackoff": status and Number(int(1000 * node.config.fork_retry_backoff)),
        },
    }


@rpc("hardhat_setLoggingEnabled", "anvil_setLoggingEnabled")
def set_logging_enabled(node: Node, enabled: bool) -> bool:
    """Turn the node's activity log on or off; true."""
    node.logging_enabled = enabled
    return True


@rpc("hardhat_reset", "anvil_reset", slow=True)
def reset(node: Node, options: JsonMap | None = None) -> bool:
    """Reset the chain to genesis, or to the block it was forked at; true.

    Mempool, filters and snapshots are cleared. `forking` may name the fork that the chain is, by
    `jsonRpcUrl` and `blockNumber`; without `blockNumber` it stays at its block. Error -32602 for
    another URL or block.
    """
    forking = options.get("forking") if options else None
    # viem always sends `forking`, with nothing in it.
    if forking and (not isinstance(forking, dict) or any(forking.values())):
        _check_forking(node, forking)
    node.reset()
    return True


def _check_forking(node: Node, forking: object) -> None:
    """Raise `InvalidInput` unless this is the fork that the chain is."""
    if not isinstance(forking, dict):
        raise InvalidInput('forking: want {"jsonRpcUrl": URL, "blockNumber": NUMBER}')
    if node.fork is None:
        raise InvalidInput(
            "the chain of this node is no fork: leave forking out to reset it, or start a node "
            "with --fork-url"
        )
    url, block = forking.get("jsonRpcUrl"), forking.get("blockNumber")
    number = int(block, 16) if isinstance(block, str) and HEX.fullmatch(block) else block
    is_its_url = url is None or url in node.fork.urls
    if not is_its_url or (number is not None and number != node.fork.number):
        raise InvalidInput(
            f"the chain of this node stays a fork of {node.fork.status().address or 'its cache'} "
            f"at block {node.fork.number}: reset with its URL and block or without forking, and "
            "start another node with --fork-url for another"
        )
