"""Methods that take a whole chain out of the node, and put one in."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc


@rpc("anvil_dumpState", "hardhat_dumpState")
def dump_state(node: Node, preserve_historical_states: bool = True) -> bytes:
    """Everything the node holds, to be given to `anvil_loadState`: gzip of JSON.

    Blocks, the state of each, pool, clock, mining mode, snapshots, and keys under their
    passphrases; nothing is lost whatever the parameter says, which is there for anvil's callers.
    """
    return node.dump()


@rpc("anvil_loadState", "hardhat_loadState")
def load_state(node: Node, state: bytes) -> bool:
    """Put a dump in the place of all there is; true.

    Of a dump of anvil's the accounts are taken over into the state of the head, its blocks are
    not. Error -32602 for a dump that is damaged, of another shape or of a chain under other
    rules; then nothing has changed.
    """
    node.load(state)
    return True
