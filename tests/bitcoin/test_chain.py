"""`devchain.bitcoin.chain`"""

from __future__ import annotations

from copy import deepcopy

import pytest
from btclib.block.block import Block
from btclib.block.mining import mine
from btclib.tx import TxOut

from devchain.bitcoin.bitcoin_node import BitcoinNode
from devchain.bitcoin.chain import BitcoinChain, placed
from devchain.clock import Clock
from devchain.config import MNEMONIC
from devchain.errors import BitcoinRejected

NOW = 1_700_000_000
SCRIPT = b"\x51"


@pytest.fixture
def node() -> BitcoinNode:
    return BitcoinNode(MNEMONIC, Clock(NOW))


def candidate(chain: BitcoinChain, fees: int = 0, time: int = NOW) -> Block:
    """A block on the tip that is not added."""
    return chain.build(SCRIPT, [], fees, time, b"\1\2\3\4")


def solved(block: Block) -> Block:
    """The block with proof of work, for a header that was changed."""
    header = mine(block.header)
    assert header
    return Block(header, block.transactions, check_validity=False)


class TestRefusals:
    """Reject reasons are those of Bitcoin Core's validation.cpp."""

    def test_duplicate(self, node: BitcoinNode) -> None:
        with pytest.raises(BitcoinRejected, match=r"^duplicate$"):
            node.add_block(node.chain.tip.block)

    def test_reward(self, node: BitcoinNode) -> None:
        """The block stays known, as invalid."""
        block = candidate(node.chain, fees=1)
        with pytest.raises(BitcoinRejected, match="bad-cb-amount"):
            node.add_block(block)

        with pytest.raises(BitcoinRejected, match="duplicate-invalid"):
            node.add_block(block)
        assert node.height == 110

    def test_unknown_parent(self, node: BitcoinNode) -> None:
        block = candidate(node.chain)
        block.header.previous_block_hash = bytes(32)

        with pytest.raises(BitcoinRejected, match="prev-blk-not-found"):
            node.add_block(solved(block))

    def test_proof_of_work(self, node: BitcoinNode) -> None:
        block = deepcopy(candidate(node.chain))
        while block.header.hash[0] < 0x80:
            block.header.nonce += 1

        with pytest.raises(BitcoinRejected, match="high-hash"):
            node.add_block(block)

    def test_merkle_root(self, node: BitcoinNode) -> None:
        block = candidate(node.chain)
        block.transactions[0].vout[0] = TxOut(1, SCRIPT)

        with pytest.raises(BitcoinRejected, match="bad-txnmrklroot"):
            node.add_block(block)

    def test_time(self, node: BitcoinNode) -> None:
        """A block is later than the median of eleven, and at most two hours ahead of the clock."""
        late = candidate(node.chain, time=NOW + 7_201)
        with pytest.raises(BitcoinRejected, match="time-too-new"):
            node.add_block(late)

        early = deepcopy(candidate(node.chain))
        early.header.time = node.block(100).block.header.time
        with pytest.raises(BitcoinRejected, match="time-too-old"):
            node.add_block(solved(early))


class TestBranches:
    def test_side_branch(self, node: BitcoinNode) -> None:
        """A branch becomes active when it has more work; of equal ones the first stays."""
        other = BitcoinNode(MNEMONIC, Clock(NOW + 60))
        mined, theirs = node.mine(2), other.mine(3)
        for block_hash in theirs[:2]:
            node.add_block(other.block(block_hash).block)
        before = node.chain.tip.hash

        node.add_block(other.block(theirs[2]).block)

        assert before == mined[-1]
        assert node.chain.tip.hash == theirs[2]

    def test_invalid_side_branch(self, node: BitcoinNode) -> None:
        """If the longer branch turns out to be invalid, the other one is active again."""
        other, mined = BitcoinNode(MNEMONIC, Clock(NOW + 60)), node.mine(2)
        first = other.generate(SCRIPT)
        bad = placed(candidate(other.chain, fees=1), first)
        other.chain.blocks[bad.hash] = bad
        other.chain._connect(bad, verify=False)
        node.add_block(first.block)
        node.add_block(bad.block)

        with pytest.raises(BitcoinRejected, match="bad-cb-amount"):
            node.add_block(candidate(other.chain))

        assert node.chain.tip.hash == mined[-1]
