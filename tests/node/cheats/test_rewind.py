"""`devchain.node.cheats.rewind`"""

from __future__ import annotations

import pytest

from devchain.errors import DevchainError, InvalidInput
from devchain.node import Node
from devchain.node.cheats import rewind, state
from devchain.types import LogQuery, MineRequest, PlacedTransaction, Tag, TransactionRequest
from tests.accounts import ALICE, BOB, NOBODY
from tests.actions import deploy, fingerprint, run, send
from tests.bytecode import EMIT_MANY, word

BOB_PAYS = TransactionRequest(sender=BOB, to=ALICE, value=7)


class TestRollback:
    def test_back(self, node: Node) -> None:
        """The state is the older block's, what was mined since is gone."""
        run(node, BOB)
        sent = send(node, NOBODY, value=5)
        rewind.rollback(node, 1)

        assert node.chain.height == 1
        assert node.chain.receipt(sent) is None
        assert node.chain.state_at(Tag.LATEST).balance(NOBODY) == 0
        assert node.mempool.pending_nonce(ALICE) == 1

    @pytest.mark.parametrize("depth", [0, 2, 2**64 - 1])
    def test_out_of_range(self, node: Node, depth: int) -> None:
        """There must be as many blocks after genesis."""
        run(node, BOB)
        before = fingerprint(node)

        with pytest.raises(InvalidInput, match="out of range"):
            rewind.rollback(node, depth)
        assert fingerprint(node) == before

    def test_removed_logs(self, node: Node) -> None:
        """A log that was read comes again as removed."""
        contract = deploy(node, EMIT_MANY)
        watching = node.search.watch(LogQuery())
        run(node, contract, word(1))
        (read,) = node.filters.changes(watching)
        rewind.rollback(node, 1)

        (gone,) = node.filters.changes(watching)
        assert (gone.removed, gone.log) == (True, read.log)

    def test_snapshot_of_a_gone_block(self, node: Node) -> None:
        """A snapshot of a block taken back cannot be reverted to, one before it can."""
        run(node, BOB)
        kept = node.snapshots.take()
        run(node, BOB)
        gone = node.snapshots.take()
        rewind.rollback(node, 1)
        run(node, BOB, value=1)

        assert not node.revert(gone)
        assert node.revert(kept)
        assert node.chain.height == 1


class TestReorg:
    def test_other_blocks(self, node: Node) -> None:
        """As many blocks, all of them others, later than the old ones."""
        node.mine(MineRequest(3))
        old = node.chain.blocks_after(0)
        rewind.reorg(node, 2, [])

        new = node.chain.blocks_after(0)
        assert [block.number for block in new] == [1, 2, 3]
        assert new[0] == old[0]
        assert not {block.hash for block in new[1:]} & {block.hash for block in old}
        assert new[1].timestamp > old[-1].timestamp

    def test_empty_head(self, node: Node) -> None:
        """An empty head is another after a reorganisation of depth 1."""
        node.miner.mine()
        before = node.chain.head.hash
        rewind.reorg(node, 1, [])

        assert node.chain.head.hash != before

    def test_places(self, node: Node) -> None:
        """Transactions are in the blocks they are placed in, those of a sender in order."""
        node.mine(MineRequest(3))
        signed = node.signer.sign(
            TransactionRequest(sender=ALICE, to=BOB), node.accounts.key(ALICE)
        ).raw
        places = [(BOB_PAYS, 2), (signed, 0), (BOB_PAYS, 2)]
        rewind.reorg(node, 3, [PlacedTransaction(tx, block) for tx, block in places])

        found = [[tx.sender for tx in block.transactions] for block in node.chain.blocks_after(0)]
        assert found == [[ALICE], [], [BOB, BOB]]

    def test_filters(self, node: Node) -> None:
        """A block filter that has read the old blocks gets the new ones."""
        watching = node.filters.watch_blocks()
        node.mine(MineRequest(2))
        node.filters.changes(watching)
        rewind.reorg(node, 1, [])

        assert node.filters.changes(watching) == [node.chain.head.hash]

    @pytest.mark.parametrize(
        "placed",
        [
            PlacedTransaction(BOB_PAYS, 2),
            PlacedTransaction(TransactionRequest(sender=NOBODY), 1),
            PlacedTransaction(TransactionRequest(sender=BOB, nonce=0, value=10**30), 1),
            PlacedTransaction(b"\xf8", 0),
        ],
        ids=["no such block", "no key", "no funds", "no transaction"],
    )
    def test_refused(self, node: Node, placed: PlacedTransaction) -> None:
        """If one transaction is refused nothing has changed, edits of the state neither."""
        contract = deploy(node, EMIT_MANY)
        watching = node.search.watch(LogQuery())
        run(node, contract, word(1))
        state.set_balance(node, NOBODY, 5)
        node.mine(MineRequest(2))
        node.filters.changes(watching)
        before = fingerprint(node)

        with pytest.raises(DevchainError):
            rewind.reorg(node, 2, [PlacedTransaction(BOB_PAYS, 0), placed])
        assert fingerprint(node) == before
        assert node.chain.state_at(2).balance(NOBODY) == 5
        assert node.filters.changes(watching) == []
