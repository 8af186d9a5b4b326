"""`devchain.node.cheats.state`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.errors import InvalidInput, TransactionRejected
from devchain.node import Node
from devchain.node.cheats import state
from devchain.state.proof import AccountProof
from devchain.types import BlockHash, Tag, TransactionRequest
from tests.accounts import ALICE, BOB, NOBODY
from tests.actions import fingerprint, receipt_of, run, send
from tests.bytecode import COUNTER, STORE, word
from tests.conftest import GENESIS_TIME
from tests.tracing.reading import traced

MAX_UINT256 = 2**256 - 1


class TestSeenBy:
    def test_every_reader(self, node: Node) -> None:
        """Balances, code, storage and nonces are there at once, at the head and in what follows."""
        run(node, BOB)
        state.set_balance(node, NOBODY, 5)
        state.set_code(node, NOBODY, COUNTER)
        state.set_storage(node, NOBODY, 0, 41)
        state.set_nonce(node, NOBODY, 7)

        for block in (Tag.LATEST, Tag.PENDING, 1, BlockHash(node.chain.head.hash)):
            view = node.chain.state_at(block)
            assert (view.balance(NOBODY), view.nonce(NOBODY)) == (5, 7)
            assert (view.code(NOBODY), view.storage(NOBODY, 0)) == (COUNTER, 41)
            assert node.call(TransactionRequest(to=NOBODY), block) == word(42)

    def test_older_block(self, node: Node) -> None:
        """Blocks before the head keep their state."""
        run(node, BOB)
        state.set_balance(node, NOBODY, 5)

        assert node.chain.state_at(0).balance(NOBODY) == 0

    def test_header(self, node: Node) -> None:
        """The head is the same block, with the state root it was mined with."""
        before = run(node, BOB), node.chain.head.hash, node.chain.head.state_root
        state.set_balance(node, NOBODY, 5)

        head = node.chain.head
        assert (head.receipts[0], head.hash, head.state_root) == before
        assert node.chain.state_root(head) != head.state_root

    def test_next_block(self, node: Node) -> None:
        """The next block builds on the edit, and its own state root is that of the result."""
        state.set_code(node, NOBODY, COUNTER)
        state.set_storage(node, NOBODY, 0, 41)
        run(node, NOBODY)

        head = node.chain.head
        assert node.chain.state_at(1).storage(NOBODY, 0) == 42
        assert node.chain.state_root(head) == head.state_root
        assert head.parent_hash == node.chain.block(0).hash

    def test_replay(self, node: Node) -> None:
        """A trace of the next block's transaction runs the edited code."""
        state.set_code(node, NOBODY, COUNTER)
        state.set_storage(node, NOBODY, 0, 41)
        frame = traced(node, send(node, NOBODY), "callTracer")

        assert int(frame["output"], 16) == 42

    def test_proof(self, node: Node) -> None:
        """A proof at the head proves the edited account against the edited root."""
        state.set_balance(node, NOBODY, 5)
        proof = node.chain.state_at(Tag.LATEST).proof(NOBODY, [])

        assert isinstance(proof, AccountProof)
        assert proof.balance == 5

    def test_pending(self, node: Node) -> None:
        """The pending block is built anew."""
        node.miner.running = False
        send(node, BOB, value=3)
        before = node.chain.pending().state_root
        state.set_balance(node, NOBODY, 5)

        assert node.chain.pending().state_root != before

    def test_work(self, node: Node) -> None:
        """Work handed out before the edit seals nothing any more."""
        block, _ = node.work.hand_out()
        state.set_balance(node, NOBODY, 5)

        assert not node.work.seal(block.header.hash_for_merged_mining)

    def test_mempool(self, node: Node) -> None:
        """A nonce that is raised makes what was queued pending, and drops what it overtakes."""
        node.miner.running = False
        old, new = send(node, BOB, nonce=0), send(node, BOB, nonce=2)
        state.set_nonce(node, ALICE, 2)

        assert [tx.hash for tx in node.mempool.pending()] == [new]
        assert node.mempool.find(old) is None


class TestRevert:
    def test_edit_is_undone(self, node: Node) -> None:
        """A revert takes edits back, on the same head too."""
        run(node, BOB)
        before = fingerprint(node)
        snapshot = node.snapshots.take()
        state.set_balance(node, ALICE, 5)
        state.set_code(node, BOB, COUNTER)

        assert node.revert(snapshot)
        assert fingerprint(node) == before

    def test_edit_comes_back(self, node: Node) -> None:
        """What was edited before the snapshot is there after the revert."""
        state.set_balance(node, NOBODY, 5)
        snapshot = node.snapshots.take()
        state.set_balance(node, NOBODY, 6)
        run(node, BOB)
        node.revert(snapshot)

        assert node.chain.state_at(Tag.LATEST).balance(NOBODY) == 5

    def test_same_block_again(self, node: Node) -> None:
        """A block mined again after a revert, with the same hash, has no edit of the old one."""
        snapshot = node.snapshots.take()
        first = run(node, BOB), node.chain.head.hash
        state.set_balance(node, NOBODY, 5)
        node.revert(snapshot)

        assert (run(node, BOB), node.chain.head.hash) == first
        assert node.chain.state_at(Tag.LATEST).balance(NOBODY) == 0

    def test_reset(self, node: Node) -> None:
        """A reset forgets the edits of genesis."""
        state.set_balance(node, NOBODY, 5)
        node.reset()

        assert node.chain.state_at(0).balance(NOBODY) == 0


class TestBalance:
    def test_too_much(self, node: Node) -> None:
        """More than 256 bits hold cannot be added."""
        state.set_balance(node, NOBODY, MAX_UINT256)

        with pytest.raises(InvalidInput, match="more than 256 bits"):
            state.add_balance(node, NOBODY, 1)

    @pytest.mark.parametrize("hardfork", ["vetiver", "prague"])
    def test_overflow_inside_a_block(self, hardfork: str) -> None:
        """A transaction that overflows a balance halfway is refused and leaves no trace."""
        node = Node(Config(fixed_clock=GENESIS_TIME, hardfork=hardfork, mining=False))
        state.set_balance(node, NOBODY, MAX_UINT256)
        state.set_code(node, BOB, _pay(NOBODY))
        good, bad = send(node, None, b"", gas=100_000), send(node, BOB, value=1, gas=100_000)
        node.miner.mine()

        assert receipt_of(node, good).succeeded
        assert node.chain.receipt(bad) is None
        assert node.chain.state_at(Tag.LATEST).nonce(ALICE) == 1
        assert node.chain.head.gas_used == receipt_of(node, good).gas_used

    def test_overflow_at_once(self, node: Node) -> None:
        """With automatic mining the sender is told."""
        state.set_balance(node, NOBODY, MAX_UINT256)

        with pytest.raises(TransactionRejected, match="could not be executed"):
            send(node, NOBODY, value=1)

    def test_max_can_spend(self, node: Node) -> None:
        """Whoever has all there can be may still spend it."""
        state.set_balance(node, ALICE, MAX_UINT256)
        run(node, NOBODY, value=2**200)

        assert node.chain.state_at(Tag.LATEST).balance(NOBODY) == 2**200


class TestNonce:
    def test_lowered(self, node: Node) -> None:
        """With a lower nonce the same transaction is mined again."""
        first = send(node, BOB, value=1)
        state.set_nonce(node, ALICE, 0)

        assert send(node, BOB, value=1) == first
        assert node.chain.height == 2
        node.chain.truncate(0)


class TestCode:
    def test_contract_keeps_storage(self, node: Node) -> None:
        """New code finds the storage of the old."""
        state.set_code(node, NOBODY, STORE)
        run(node, NOBODY, word(9))
        state.set_code(node, NOBODY, COUNTER)

        assert node.call(TransactionRequest(to=NOBODY)) == word(10)


def _pay(receiver: bytes) -> bytes:
    """A contract that passes on what it gets."""
    return bytes.fromhex("6000600060006000347390".replace("90", receiver.hex()) + "5af100")
