"""Taking blocks back, and putting others in their place."""

from __future__ import annotations

from collections.abc import Sequence

from devchain.chain.chain import Removed
from devchain.errors import DevchainError, InvalidInput
from devchain.node.cheats.node import AnyNode
from devchain.types import PlacedTransaction


def rollback(node: AnyNode, depth: int) -> None:
    """Take the newest blocks back; raises `InvalidInput` for more than there are.

    Their transactions are gone, logs come again as removed, time goes on from where it is.
    Snapshots taken on one of these blocks can no longer be reverted to.
    """
    _cut(node, depth)


def reorg(node: AnyNode, depth: int, placed: Sequence[PlacedTransaction]) -> None:
    """Put as many new blocks in the place of the newest ones.

    A transaction goes into the new block it is placed in, counted from 0. Raises `InvalidInput`
    or what sending raises; then nothing has changed.
    """
    for each in placed:
        if each.block >= depth:
            msg = f"there is no new block {each.block}: they are counted from 0 to {depth - 1}"
            raise InvalidInput(msg)
    before = node.components.checkpoint()
    with node.chain.atomic():
        removed = _cut(node, depth)
        try:
            _rebuild(node, depth, placed)
        except DevchainError:
            node.chain.put_back(removed)
            node.components.restore(before)
            node.filters.put_back(before.filters)
            raise


def _cut(node: AnyNode, depth: int) -> Removed:
    """Take blocks off; the next one is later than every one of them, and so is another."""
    chain = node.chain
    if not 1 <= depth <= chain.height:
        msg = f"depth {depth} is out of range: the chain has {chain.height} blocks after genesis"
        raise InvalidInput(msg)
    newest = chain.head.timestamp
    node.filters.retract(chain.height - depth)
    removed = chain.truncate(chain.height - depth)
    node.clock.keep_up(newest + 1)
    node.on_head_changed()
    return removed


def _rebuild(node: AnyNode, depth: int, placed: Sequence[PlacedTransaction]) -> None:
    for number in range(depth):
        for each in placed:
            if each.block == number:
                node.mempool.add(node.signer.transaction(each.transaction))
        node.miner.mine()
