"""Methods for information about the node, its log, reset, and dumps of its whole state."""

from __future__ import annotations

import re

from eth_hash.auto import keccak

from devchain.chain.slices import Slices
from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.node.forking import change_url, fork_in_slices, leave_fork
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.methods.client import client_version
from devchain.rpc.result_objects import JsonObject
from devchain.rpc.scalar_decoders import JsonMap
from devchain.types import MAX_UINT64, Hash32

HEX = re.compile("0x[0-9a-fA-F]{1,16}")


@rpc("hardhat_metadata", "anvil_metadata")
def metadata(node: Node) -> JsonObject:
    """Client version, chain id, latest block and snapshots of this instance.

    On a fork `forkedNetwork` has its chain id and fork block. `instanceId` changes with each reset
    and, unless the clock is fixed, each start.
    """
    head, first = node.chain.head, node.chain.block(node.chain.first)
    members: JsonObject = {
        "clientVersion": client_version(node),
        "chainId": Number(node.config.effective_chain_id),
        "instanceId": Hash32(keccak(first.hash + node.resets.to_bytes(8, "big"))),
        "latestBlockNumber": Number(head.number),
        "latestBlockHash": head.hash,
        "snapshots": {
            hex(snapshot_id): [Number(snapshot.chain.height), snapshot.chain.head]
            for snapshot_id, snapshot in node.snapshots.all().items()
        },
    }
    if node.fork:
        fork = node.fork.block
        members["forkedNetwork"] = {
            "chainId": Number(fork.chain_id),
            "forkBlockNumber": Number(fork.number),
            "forkBlockHash": fork.hash,
        }
    return members


@rpc("anvil_nodeInfo", "hardhat_nodeInfo")
def node_info(node: Node) -> JsonObject:
    """Head, hardfork, and gas limit and prices for the next transaction.

    `forkConfig` has null members unless the chain is a fork. Its URL has no path and no keys.
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
    """Turn the node's activity log on or off."""
    node.logging_enabled = enabled
    return True


@rpc("hardhat_reset", "anvil_reset", slow=True)
def reset(node: Node, options: JsonMap | None = None) -> Slices[bool]:
    """Reset the chain to genesis, or with `forking` to a forked block.

    It clears mempool, filters and snapshots. `forking` may have `jsonRpcUrl` (default: the current
    fork's), `blockNumber` (default: a recent block) and `httpHeaders`. With neither URL nor block a
    fork returns to its fork block. Without `forking` the node leaves a fork and starts a chain of
    its own.
    """
    forking = options.get("forking") if options else None
    if forking is None and node.fork:
        leave_fork(node)
        return True
    url, block, headers = _read_forking({} if forking is None else forking)
    fork = node.fork
    is_present = fork is not None and block == fork.number and (url is None or url in fork.urls)
    if is_present or (url is None and block is None):
        node.reset()
    else:
        yield from fork_in_slices(node, url, block, headers)
    return True


@rpc("anvil_setRpcUrl", "hardhat_setRpcUrl")
def set_rpc_url(node: Node, url: str) -> bool:
    """Set the URL of the node that a fork reads from. It must have the fork block.

    Headers of the previous URL are not sent to it. Error -32602: the text is no URL.
    """
    change_url(node, url)
    return True


def _read_forking(forking: object) -> tuple[str | None, int | None, list[str]]:
    if not isinstance(forking, dict):
        raise InvalidInput('forking: want {"jsonRpcUrl": URL, "blockNumber": NUMBER}')
    url, block, headers = (
        forking.get(name) for name in ("jsonRpcUrl", "blockNumber", "httpHeaders")
    )
    if isinstance(block, str) and HEX.fullmatch(block):
        block = int(block, 16)
    if not (url is None or isinstance(url, str)):
        raise InvalidInput("forking: jsonRpcUrl is the URL of a node, as text")
    if block is not None and (type(block) is not int or not 0 <= block <= MAX_UINT64):
        raise InvalidInput("forking: blockNumber is a number of 0 or more, or hex of it")
    if headers is not None and not (
        isinstance(headers, dict) and all(isinstance(header, str) for header in headers.values())
    ):
        raise InvalidInput("forking: httpHeaders is an object of texts")
    return url or None, block, [f"{name}: {value}" for name, value in (headers or {}).items()]


# Dumps


@rpc("anvil_dumpState", "hardhat_dumpState", slow=True)
def dump_state(node: Node, preserve_historical_states: bool = True) -> bytes:
    """Dump the whole node for `anvil_loadState` as gzipped JSON.

    The dump has blocks, states, mempool, clock, mining mode, snapshots and encrypted keys. The
    parameter, which anvil's clients send, has no effect.
    """
    return node.dump()


@rpc("anvil_loadState", "hardhat_loadState", slow=True)
def load_state(node: Node, state: bytes) -> bool:
    """Replace the whole node by a dump.

    Only the accounts of a dump made by anvil are taken. Error -32602: the dump is damaged, or
    belongs to a chain with other rules; nothing changes then.
    """
    node.load(state)
    return True
