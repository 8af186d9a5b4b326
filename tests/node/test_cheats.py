"""`devchain.node.cheats`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.errors import DevchainError, InvalidInput
from devchain.node import Node, cheats
from devchain.types import (
    Address,
    BlockHash,
    LogQuery,
    MineRequest,
    PlacedTransaction,
    Tag,
    TransactionRequest,
)
from tests.accounts import ALICE, BOB, UNFUNDED
from tests.actions import deploy, fingerprint, install_filter, receipt_of, run, send
from tests.bytecode import COUNTER, EMIT_MANY, REVERT, assemble, word
from tests.conftest import GENESIS_TIME
from tests.tracing.reading import traced

MAX_UINT256 = 2**256 - 1


class TestSeenBy:
    def test_every_reader(self, node: Node) -> None:
        """Edits are visible at once, at the head and in the pending block."""
        run(node, BOB)
        node.set_balance(UNFUNDED, 5)
        node.set_code(UNFUNDED, COUNTER)
        node.set_storage(UNFUNDED, 0, 41)
        node.set_nonce(UNFUNDED, 7)

        for block in (Tag.LATEST, Tag.PENDING, 1, BlockHash(node.chain.head.hash)):
            view = node.chain.state_at(block)
            assert (view.balance(UNFUNDED), view.nonce(UNFUNDED)) == (5, 7)
            assert (view.code(UNFUNDED), view.storage(UNFUNDED, 0)) == (COUNTER, 41)
            assert node.call(TransactionRequest(to=UNFUNDED), block) == word(42)

    def test_header(self, node: Node) -> None:
        """The head is the same block, with the state root it was mined with."""
        before = run(node, BOB), node.chain.head.hash, node.chain.head.state_root
        node.set_balance(UNFUNDED, 5)

        head = node.chain.head
        assert (head.receipts[0], head.hash, head.state_root) == before
        assert node.chain.state_root(head) != head.state_root

    def test_next_block(self, node: Node) -> None:
        """The next block builds on the edit, and its own state root is that of the result."""
        node.set_code(UNFUNDED, COUNTER)
        node.set_storage(UNFUNDED, 0, 41)
        run(node, UNFUNDED)

        head = node.chain.head
        assert node.chain.state_at(1).storage(UNFUNDED, 0) == 42
        assert node.chain.state_root(head) == head.state_root
        assert head.parent_hash == node.chain.block(0).hash

    def test_replay(self, node: Node) -> None:
        """A trace of the next block's transaction runs the edited code."""
        node.set_code(UNFUNDED, COUNTER)
        node.set_storage(UNFUNDED, 0, 41)
        frame = traced(node, send(node, UNFUNDED), "callTracer")

        assert int(frame["output"], 16) == 42

    def test_work(self, node: Node) -> None:
        """Work returned before the edit cannot be submitted any more."""
        block, _ = node.work.get_work()
        node.set_balance(UNFUNDED, 5)

        assert not node.work.submit_work(block.header.hash_for_merged_mining)

    def test_mempool(self, node: Node) -> None:
        """A nonce that is raised makes what was queued pending, and drops what it overtakes."""
        node.miner.running = False
        old, new = send(node, BOB, nonce=0), send(node, BOB, nonce=2)
        node.set_nonce(ALICE, 2)

        assert [tx.hash for tx in node.mempool.pending()] == [new]
        assert node.mempool.find(old) is None


class TestRevert:
    def test_edit_is_undone(self, node: Node) -> None:
        """A revert undoes edits, on the same head too."""
        run(node, BOB)
        before = fingerprint(node)
        snapshot = node.snapshots.take()
        node.set_balance(ALICE, 5)
        node.set_code(BOB, COUNTER)

        assert node.revert(snapshot)
        assert fingerprint(node) == before

    def test_same_block_again(self, node: Node) -> None:
        """A block mined again after a revert, with the same hash, has none of the old edits."""
        snapshot = node.snapshots.take()
        first = run(node, BOB), node.chain.head.hash
        node.set_balance(UNFUNDED, 5)
        node.revert(snapshot)

        assert (run(node, BOB), node.chain.head.hash) == first
        assert node.chain.state_at(Tag.LATEST).balance(UNFUNDED) == 0

    def test_reset(self, node: Node) -> None:
        """A reset undoes the edits of the genesis state."""
        node.set_balance(UNFUNDED, 5)
        node.reset()

        assert node.chain.state_at(0).balance(UNFUNDED) == 0


class TestBalance:
    def test_too_much(self, node: Node) -> None:
        """A sum of more than 256 bits is refused."""
        node.set_balance(UNFUNDED, MAX_UINT256)

        with pytest.raises(InvalidInput, match="more than 256 bits"):
            node.add_balance(UNFUNDED, 1)

    @pytest.mark.parametrize("hardfork", ["vetiver", "prague"])
    def test_overflow_inside_a_block(self, hardfork: str) -> None:
        """A transaction whose execution overflows a balance is refused and changes nothing."""
        node = Node(Config(fixed_clock=GENESIS_TIME, hardfork=hardfork, mining=False))
        node.set_balance(UNFUNDED, MAX_UINT256)
        node.set_code(BOB, _pay(UNFUNDED))
        good, bad = send(node, None, b"", gas=100_000), send(node, BOB, value=1, gas=100_000)
        node.miner.mine()

        assert receipt_of(node, good).succeeded
        assert node.chain.receipt(bad) is None
        assert node.chain.state_at(Tag.LATEST).nonce(ALICE) == 1
        assert node.chain.head.gas_used == receipt_of(node, good).gas_used

    def test_max_can_spend(self, node: Node) -> None:
        """An account with the largest balance can spend it."""
        node.set_balance(ALICE, MAX_UINT256)
        run(node, UNFUNDED, value=2**200)

        assert node.chain.state_at(Tag.LATEST).balance(UNFUNDED) == 2**200


class TestNonce:
    def test_lowered(self, node: Node) -> None:
        """With a lower nonce the same transaction is mined again."""
        first = send(node, BOB, value=1)
        node.set_nonce(ALICE, 0)

        assert send(node, BOB, value=1) == first
        assert node.chain.height == 2
        node.chain.truncate(0)


def _pay(receiver: bytes) -> bytes:
    """A contract that forwards the value it receives."""
    return bytes.fromhex("6000600060006000347390".replace("90", receiver.hex()) + "5af100")


# balanceOf and allowance: the slot is the hash of the arguments; slot 0 is read before, as a
# paused flag would be.
TOKEN = assemble(
    "0 SLOAD POP 4 CALLDATASIZE SUB DUP1 4 0 CALLDATACOPY 0 KECCAK256 SLOAD 0 MSTORE 32 0 RETURN"
)
# The same with the storage of another contract, as a proxy has it.
PROXY = assemble(
    "CALLDATASIZE 0 0 CALLDATACOPY 32 0 CALLDATASIZE 0 0x7070707070707070707070707070707070707070"
    " GAS DELEGATECALL POP 32 0 RETURN"
)
# Twice what is in the slot: a balance that is calculated.
REBASING = assemble("0 SLOAD 2 MUL 0 MSTORE 32 0 RETURN")
PLAIN = Address(b"\x70" * 20)
OTHER = Address(b"\x71" * 20)


def balance(node: Node, token: Address, owner: Address) -> int:
    """The owner's balance in the token."""
    data = cheats.BALANCE_OF + bytes(12) + owner
    return int.from_bytes(node.call(TransactionRequest(to=token, data=data)), "big")


class TestDeal:
    def test_token(self, node: Node) -> None:
        """The owner has the amount, no other account any; a later amount replaces it."""
        node.set_code(PLAIN, TOKEN)
        cheats.deal_tokens(node, PLAIN, ALICE, 2**255)
        cheats.deal_tokens(node, PLAIN, ALICE, 10)

        assert (balance(node, PLAIN, ALICE), balance(node, PLAIN, BOB)) == (10, 0)

    def test_proxy(self, node: Node) -> None:
        """A proxy's own storage is written, not that of its implementation."""
        node.set_code(PLAIN, TOKEN)
        node.set_code(OTHER, PROXY)
        cheats.deal_tokens(node, OTHER, ALICE, 10)

        assert (balance(node, OTHER, ALICE), balance(node, PLAIN, ALICE)) == (10, 0)

    @pytest.mark.parametrize("code", [b"", REBASING, REVERT])
    def test_no_token(self, node: Node, code: bytes) -> None:
        """Without a slot that determines the answer the call is refused."""
        node.set_code(PLAIN, code)
        before = node.chain.state_root(node.chain.head)

        with pytest.raises(InvalidInput, match="does not keep this number in one slot"):
            cheats.deal_tokens(node, PLAIN, ALICE, 11)
        assert node.chain.state_root(node.chain.head) == before


BOB_PAYS = TransactionRequest(sender=BOB, to=ALICE, value=7)


class TestRollback:
    def test_back(self, node: Node) -> None:
        """The state is that of the older block, later transactions are removed."""
        run(node, BOB)
        sent = send(node, UNFUNDED, value=5)
        cheats.rollback(node, 1)

        assert node.chain.height == 1
        assert node.chain.receipt(sent) is None
        assert node.chain.state_at(Tag.LATEST).balance(UNFUNDED) == 0
        assert node.mempool.pending_nonce(ALICE) == 1

    @pytest.mark.parametrize("depth", [0, 2, 2**64 - 1])
    def test_out_of_range(self, node: Node, depth: int) -> None:
        """A depth of more blocks than there are after genesis is refused."""
        run(node, BOB)
        before = fingerprint(node)

        with pytest.raises(InvalidInput, match="out of range"):
            cheats.rollback(node, depth)
        assert fingerprint(node) == before

    def test_snapshot_of_a_removed_block(self, node: Node) -> None:
        """A snapshot taken on a removed block cannot be reverted to, an earlier one can."""
        run(node, BOB)
        kept = node.snapshots.take()
        run(node, BOB)
        gone = node.snapshots.take()
        cheats.rollback(node, 1)
        run(node, BOB, value=1)

        assert not node.revert(gone)
        assert node.revert(kept)
        assert node.chain.height == 1


class TestReorg:
    def test_other_blocks(self, node: Node) -> None:
        """There are as many new blocks, later than the old ones, with other hashes."""
        node.mine(MineRequest(3))
        old = node.chain.blocks_after(0)
        cheats.reorg(node, 2, [])

        new = node.chain.blocks_after(0)
        assert [block.number for block in new] == [1, 2, 3]
        assert new[0] == old[0]
        assert not {block.hash for block in new[1:]} & {block.hash for block in old}
        assert new[1].timestamp > old[-1].timestamp

    def test_places(self, node: Node) -> None:
        """Transactions are in the blocks they are placed in, those of a sender in order."""
        node.mine(MineRequest(3))
        signed = node.sign(TransactionRequest(sender=ALICE, to=BOB), node.accounts.key(ALICE)).raw
        places = [(BOB_PAYS, 2), (signed, 0), (BOB_PAYS, 2)]
        cheats.reorg(node, 3, [PlacedTransaction(tx, block) for tx, block in places])

        found = [[tx.sender for tx in block.transactions] for block in node.chain.blocks_after(0)]
        assert found == [[ALICE], [], [BOB, BOB]]

    @pytest.mark.parametrize(
        "placed",
        [
            PlacedTransaction(BOB_PAYS, 2),
            PlacedTransaction(TransactionRequest(sender=UNFUNDED), 1),
            PlacedTransaction(TransactionRequest(sender=BOB, nonce=0, value=10**30), 1),
            PlacedTransaction(b"\xf8", 0),
        ],
        ids=["no such block", "no key", "no funds", "no transaction"],
    )
    def test_refused(self, node: Node, placed: PlacedTransaction) -> None:
        """If one transaction is refused nothing has changed, state edits included."""
        contract = deploy(node, EMIT_MANY)
        watching = install_filter(node, LogQuery())
        run(node, contract, word(1))
        node.set_balance(UNFUNDED, 5)
        node.mine(MineRequest(2))
        node.filters.changes(watching)
        before = fingerprint(node)

        with pytest.raises(DevchainError):
            cheats.reorg(node, 2, [PlacedTransaction(BOB_PAYS, 0), placed])
        assert fingerprint(node) == before
        assert node.chain.state_at(2).balance(UNFUNDED) == 5
        assert node.filters.changes(watching) == []

    def test_refused_keeps_subscriptions(self, node: Node) -> None:
        """A refused reorganization leaves the filters of subscriptions as they were."""
        node.mine(2)
        subscription = node.filters.watch_blocks(for_subscription=True)
        node.mine(1)

        with pytest.raises(DevchainError):
            cheats.reorg(node, 2, [PlacedTransaction(b"", 0)])

        assert node.filters.changes(subscription) == [node.chain.head.hash]
