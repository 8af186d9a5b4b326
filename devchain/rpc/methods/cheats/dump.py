"""Methods that dump the whole node and load such a dump."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc


@rpc("anvil_dumpState", "hardhat_dumpState", slow=True)
def dump_state(node: Node, preserve_historical_states: bool = True) -> bytes:
    """Dump the whole node for `anvil_loadState`: gzipped JSON.

    The dump has the blocks, their states, mempool, clock, mining mode, snapshots, and keys
    encrypted with their passphrases. The parameter, which anvil's clients send, has no effect:
    historical states are always included.
    """
    return node.dump()


@rpc("anvil_loadState", "hardhat_loadState", slow=True)
def load_state(node: Node, state: bytes) -> bool:
    """Replace the whole node by a dump; true.

    A dump made by anvil has its accounts added to the state of the head; its blocks are
    ignored. Error -32602 if the dump is damaged, has another format or belongs to a chain with
    other rules; the node is then unchanged.
    """
    node.load(state)
    return True
