"""`devchain.chain.block`: blocks and receipts agree with each other, recomputed independently."""

from __future__ import annotations

from itertools import pairwise

import pytest
import rlp
from eth_hash.auto import keccak

from devchain.chain.block import Block, Log, Receipt
from devchain.evm.failures import Failure, FailureKind
from devchain.node import Node
from devchain.types import MineRequest
from tests.accounts import ALICE, BOB, CAROL
from tests.actions import deploy, send
from tests.bytecode import COUNTER, EMIT, EMIT_MANY, REVERT, word
from tests.merkle import root_of_list


def bloom_of(logs: tuple[Log, ...]) -> int:
    """The 2048-bit bloom of the yellow paper: three bits from the hash of each value."""
    bloom = 0
    for log in logs:
        for value in (log.address, *log.topics):
            digest = keccak(value)
            for start in (0, 2, 4):
                bloom |= 1 << (int.from_bytes(digest[start : start + 2], "big") % 2048)
    return bloom


def encoded(receipt: Receipt) -> bytes:
    """The RLP of a receipt as Rootstock's receipts trie holds it."""
    logs = [[log.address, list(log.topics), log.data] for log in receipt.logs]
    status = b"\x01" if receipt.succeeded else b""
    bloom = bloom_of(receipt.logs).to_bytes(256, "big")
    gas_used = rlp.sedes.big_endian_int.serialize(receipt.gas_used) or b"\0"
    return rlp.encode([status, receipt.cumulative_gas_used, bloom, logs, gas_used, status])


@pytest.fixture
def block(node: Node) -> Block:
    """A block with transfers, logs, a revert and a failure, from three senders."""
    emit, many = deploy(node, EMIT), deploy(node, EMIT_MANY)
    revert, counter = deploy(node, REVERT), deploy(node, COUNTER)
    node.miner.running = False
    send(node, emit, word(1) + word(2) + b"data", gas=200_000)
    send(node, BOB, value=3, gas=21_000, gas_price=5)
    send(node, revert, b"\x01\x02", gas=100_000, sender=BOB, gas_price=9)
    send(node, many, word(5), gas=500_000, sender=CAROL)
    send(node, counter, gas=30_000, sender=BOB)
    send(node, emit, word(1) + word(2) + word(9), gas=200_000, sender=CAROL, gas_price=1)
    node.mine(MineRequest())
    return node.chain.head


class TestHeader:
    @pytest.mark.parametrize("number", [0, 1, 4])
    def test_hashes_to_the_block_hash(self, node: Node, block: Block, number: int) -> None:
        """Keccak-256 of the raw header is the block's hash, of genesis and of every block."""
        found = node.chain.block(number)

        assert keccak(found.raw_header) == found.hash

    def test_names_the_parent(self, node: Node, block: Block) -> None:
        """Every header has its parent's hash, the next number and a later timestamp."""
        blocks = node.chain.blocks_after(-1)
        pairs = list(pairwise(blocks))

        assert [child.header.parent_hash for _, child in pairs] == [each.hash for each, _ in pairs]
        assert [each.number for each in blocks] == list(range(len(blocks)))
        assert all(parent.timestamp < child.timestamp for parent, child in pairs)

    def test_size(self, block: Block) -> None:
        """The size is that of header, transactions and uncles in RLP."""
        transactions = [rlp.decode(tx.raw) for tx in block.transactions]

        assert block.size == len(rlp.encode([rlp.decode(block.raw_header), transactions, []]))

    def test_paid_fees(self, block: Block) -> None:
        """The paid fees are what the transactions paid for their gas."""
        fees = sum(each.gas_used * each.transaction.gas_price for each in block.receipts)

        assert block.header.paid_fees == fees
        assert fees > 0


class TestRoots:
    def test_transactions(self, block: Block) -> None:
        """The transactions root is that of the transactions' bytes."""
        expected = root_of_list([tx.raw for tx in block.transactions])

        assert block.header.transaction_root == expected

    def test_receipts(self, block: Block) -> None:
        """The receipts root is that of the receipts' bytes."""
        expected = root_of_list([encoded(each) for each in block.receipts])

        assert block.header.receipt_root == expected


class TestReceipts:
    def test_gas(self, block: Block) -> None:
        """Cumulative gas is the running sum of the gas used, and the block's at the end."""
        total, sums = 0, []
        for receipt in block.receipts:
            total += receipt.gas_used
            sums.append(total)

        assert [each.cumulative_gas_used for each in block.receipts] == sums
        assert (block.gas_used, block.header.gas_used) == (total, total)

    def test_blooms(self, block: Block) -> None:
        """Each receipt's bloom is that of its logs, and the block's is their union."""
        union = 0
        for receipt in block.receipts:
            union |= receipt.bloom

        assert [each.bloom for each in block.receipts] == [
            bloom_of(each.logs) for each in block.receipts
        ]
        assert (block.bloom, block.header.bloom) == (union, union)
        assert union > 0

    def test_positions(self, node: Node, block: Block) -> None:
        """Receipts and logs count through the block in the order of the transactions."""
        counts = [len(each.logs) for each in block.receipts]

        assert [each.index for each in block.receipts] == list(range(6))
        assert [each.transaction for each in block.receipts] == list(block.transactions)
        assert [each.first_log_index for each in block.receipts] == [
            sum(counts[:place]) for place in range(6)
        ]
        assert sorted(counts) == [0, 0, 0, 1, 1, 5]

    def test_failures(self, block: Block) -> None:
        """A transaction that reverts or runs out of gas is mined with status 0 and no logs."""
        failed = [each for each in block.receipts if not each.succeeded]

        assert [(each.failure, each.logs) for each in failed] == [
            (Failure(FailureKind.REVERT, "execution reverted", b"\x01\x02"), ()),
            (Failure(FailureKind.OUT_OF_GAS, "out of gas"), ()),
        ]
        assert [each.gas_used for each in failed] == [failed[0].gas_used, 30_000]
        assert failed[0].gas_used < 100_000


class TestFees:
    def test_balances_are_conserved(self, node: Node, block: Block) -> None:
        """The sum of all balances does not change: the coinbase earns what senders pay."""
        accounts = (*node.accounts.addresses(), node.miner.coinbase)
        touched = {*accounts, *(tx.to for tx in block.transactions if tx.to)}

        def total(number: int) -> int:
            state = node.chain.state_at(number)
            return sum(state.balance(each) for each in touched)

        assert total(block.number) == total(0)

    def test_sender(self, node: Node, block: Block) -> None:
        """A sender pays the value and the gas used, not the gas limit."""
        paid = sum(
            each.gas_used * each.transaction.gas_price + each.transaction.value
            for each in block.receipts
            if each.transaction.sender == ALICE
        )
        before = node.chain.state_at(block.number - 1).balance(ALICE)

        assert before - node.chain.state_at(block.number).balance(ALICE) == paid
        assert paid == 21_000 * 5 + 3
