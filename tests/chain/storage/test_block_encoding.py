"""`devchain.chain.storage.block_encoding`"""

from __future__ import annotations

from dataclasses import replace

import pytest

from devchain.chain.block import Block
from devchain.chain.storage.block_encoding import BlockDecoder, encode_block
from devchain.evm.failures import Failure, FailureKind
from devchain.node import Node
from tests.accounts import BOB
from tests.actions import send

REVERT = Failure(FailureKind.REVERT, "execution reverted: no", b"\x01\x02")
OUT_OF_GAS = Failure(FailureKind.OUT_OF_GAS, "out of gas")
UNDERFLOW = Failure(FailureKind.OTHER, "stack underflow")
RECEIPTS, FAILURE = 5, 7
"""Where a block has its receipts, and a receipt its failure."""


def read(node: Node, encoded: bytes) -> Block:
    """The block of those bytes."""
    config = node.config
    return BlockDecoder(node.chain.rules, config.effective_chain_id).decode_block(encoded)


@pytest.mark.parametrize("failure", [None, REVERT, OUT_OF_GAS, UNDERFLOW], ids=str)
class TestFailures:
    def test_round_trip(self, node: Node, failure: Failure | None) -> None:
        """A receipt's failure comes back with its kind, message and payload."""
        block = _with_failure(node, failure)

        assert read(node, encode_block(block)).receipts[0].failure == failure


def _with_failure(node: Node, failure: Failure | None) -> Block:
    send(node, BOB, value=1, gas=21_000)
    head = node.chain.head
    return replace(head, receipts=(replace(head.receipts[0], failure=failure),))
