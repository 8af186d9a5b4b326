"""`evm_` methods: time, mining and snapshots in the caller's hands."""

from __future__ import annotations

from devchain.errors import ExecutionTimedOut
from devchain.node import Node
from devchain.rpc.decoders import Loose
from devchain.rpc.method import rpc
from devchain.types import MineRequest

DONE = "0x0"


@rpc("evm_mine", raises=(ExecutionTimedOut,))
def mine(node: Node, timestamp: MineRequest | None = None) -> str:
    """Make a block of what waits, or several; `0x0`.

    Takes a timestamp in seconds, or `{blocks, timestamp}`; the timestamp is the first block's.
    """
    node.mine(timestamp or MineRequest())
    return DONE


@rpc("evm_increaseTime", "anvil_increaseTime")
def increase_time(node: Node, seconds: Loose) -> int:
    """Move the clock ahead for good; the total offset in seconds."""
    return node.clock.advance(seconds)


@rpc("evm_snapshot", "anvil_snapshot")
def snapshot(node: Node) -> int:
    """Remember everything a caller can see; the snapshot's id, never used twice."""
    return node.snapshots.take()


@rpc("evm_revert", "anvil_revert")
def revert(node: Node, snapshot_id: Loose) -> bool:
    """Bring back what a snapshot holds; false if there is none of that id.

    The snapshot stays and can be reverted to again; later ones are gone.
    """
    return node.revert(snapshot_id)


@rpc("evm_reset")
def reset(node: Node) -> None:
    """Go back to genesis; mempool, filters and snapshots are dropped."""
    node.reset()


@rpc("evm_startMining")
def start_mining(node: Node) -> None:
    """Mine automatically again; what waits is mined at once unless mining is by interval."""
    node.start_mining()


@rpc("evm_stopMining")
def stop_mining(node: Node) -> None:
    """Stop mining automatically, at once or by interval; `evm_mine` still works."""
    node.miner.running = False
