"""`evm_` methods: mining, time, snapshots and reset."""

from __future__ import annotations

from devchain.chain.slices import Slices
from devchain.errors import LimitExceeded
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.scalar_decoders import Loose
from devchain.types import MineRequest

DONE = "0x0"


@rpc("evm_mine", slow=True)
def mine(node: Node, timestamp: MineRequest | None = None) -> Slices[str]:
    """Mine a block with the pending transactions, or several blocks; `0x0`.

    Takes a timestamp in seconds, or `{blocks, timestamp}`; the timestamp is that of the first
    block.
    """
    yield from node.mine_in_slices(timestamp or MineRequest())
    return DONE


@rpc("evm_increaseTime", "anvil_increaseTime")
def increase_time(node: Node, seconds: Loose) -> int:
    """Move the clock forward permanently; the total offset in seconds."""
    return node.clock.advance(seconds)


@rpc("evm_snapshot", "anvil_snapshot", raises=(LimitExceeded,))
def snapshot(node: Node) -> int:
    """Take a snapshot of the whole node; its id, which is never reused."""
    return node.snapshots.take()


@rpc("evm_revert", "anvil_revert")
def revert(node: Node, snapshot_id: Loose) -> bool:
    """Restore the node to a snapshot; false if it does not exist.

    The snapshot remains and can be reverted to again; later snapshots are removed.
    """
    return node.revert(snapshot_id)


@rpc("evm_reset", slow=True)
def reset(node: Node) -> None:
    """Reset the chain to genesis; mempool, filters and snapshots are cleared."""
    node.reset()


@rpc("evm_startMining", slow=True)
def start_mining(node: Node) -> None:
    """Start automatic mining; pending transactions are mined now unless mining is by interval."""
    node.start_mining()


@rpc("evm_stopMining")
def stop_mining(node: Node) -> None:
    """Stop automatic and interval mining; `evm_mine` still works."""
    node.miner.running = False
