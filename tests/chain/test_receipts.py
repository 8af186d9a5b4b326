"""`devchain.chain.receipts`"""

from __future__ import annotations

import pytest
import rlp
from eth.db.trie import make_trie_root_and_nodes
from eth_bloom.bloom import BloomFilter
from hypothesis import given
from hypothesis import strategies as st

from devchain.chain.block import Log
from devchain.chain.receipts import bloom_of, encode, list_root, prove
from devchain.config import Config
from devchain.node import Node
from devchain.types import Address, Hash32
from tests import merkle
from tests.accounts import ADDRESSES, BOB
from tests.actions import deploy, run, send
from tests.bytecode import EMIT, word
from tests.conftest import GENESIS_TIME
from tests.merkle import root_of_list


class Encoded:
    """An object with `encode`, as py-evm's trie functions take transactions."""

    def __init__(self, raw: bytes) -> None:
        """Encode to those bytes."""
        self._raw = raw

    def encode(self) -> bytes:
        """The bytes."""
        return self._raw


def by_py_evm(values: list[bytes]) -> bytes:
    """The root that py-evm puts into its headers."""
    return make_trie_root_and_nodes([Encoded(each) for each in values])[0]


class TestListRoot:
    @given(values=st.lists(st.binary(min_size=1, max_size=70), max_size=40))
    def test_any(self, values: list[bytes]) -> None:
        """The root of a list equals py-evm's, and that of the yellow paper's definition."""
        assert list_root(values) == by_py_evm(values) == root_of_list(values)

    @pytest.mark.parametrize("count", [0, 1, 2, 16, 17, 127, 128, 129, 255, 256, 257, 300])
    @pytest.mark.parametrize("size", [1, 200], ids=["short", "long"])
    def test_counts(self, count: int, size: int) -> None:
        """Roots agree for keys of one to three bytes, and for embedded and hashed nodes."""
        values = [bytes([index % 250 + 1]) * size for index in range(count)]

        assert list_root(values) == by_py_evm(values)


class TestBloom:
    @given(
        logs=st.lists(
            st.tuples(
                st.binary(min_size=20, max_size=20),
                st.lists(st.binary(min_size=32, max_size=32), max_size=4),
            ),
            max_size=6,
        )
    )
    def test_any(self, logs: list[tuple[bytes, list[bytes]]]) -> None:
        """The bloom equals that of the eth-bloom library over addresses and topics."""
        values = [value for address, topics in logs for value in (address, *topics)]
        ours = [
            Log(Address(address), tuple(map(Hash32, topics)), b"data") for address, topics in logs
        ]

        assert bloom_of(ours) == int(BloomFilter.from_iterable(values))


PRICE = 10**10


class TestEncode:
    def test_list(self, node: Node) -> None:
        """A list of status, cumulative gas, bloom and logs; Rootstock adds gas used and status."""
        emitter = deploy(node, EMIT)

        receipt = run(node, emitter, word(1) + word(2))

        (log,) = receipt.logs
        assert rlp.decode(encode(receipt, node.chain.head.header)) == [
            b"\x01",
            receipt.cumulative_gas_used.to_bytes(2, "big"),
            receipt.bloom.to_bytes(256, "big"),
            [[emitter, list(log.topics), log.data]],
            receipt.gas_used.to_bytes(2, "big"),
            b"\x01",
        ]

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_root(self, engine: str) -> None:
        """Both engines commit to the receipts in the form of the chain."""
        node = Node(Config(engine=engine, fixed_clock=GENESIS_TIME))
        receipt = run(node, BOB)
        header = node.chain.head.header

        assert header.receipt_root == merkle.root_of_list([encode(receipt, header)])

    @pytest.mark.parametrize(("hardfork", "kind"), [("berlin", 1), ("london", 2)])
    def test_typed(self, hardfork: str, kind: int) -> None:
        """A typed transaction's receipt begins with the type byte, also in the receipts trie."""
        node = Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME))
        fee = {"gas_price": PRICE} if kind == 1 else {"max_fee_per_gas": PRICE}

        receipt = run(node, BOB, type=kind, **fee)

        header = node.chain.head.header
        assert encode(receipt, header)[0] == kind
        assert header.receipt_root == merkle.root_of_list([encode(receipt, header)])


class TestProve:
    @pytest.mark.parametrize("count", [1, 2, 40])
    def test_every_index(self, count: int) -> None:
        """The nodes of each receipt lead from the root to it and to no other."""
        node = Node(Config(mining=False, fixed_clock=GENESIS_TIME))
        for index in range(count):
            send(node, BOB, sender=ADDRESSES[index % 4], value=1, gas=21_000)
        block = node.miner.mine()

        for receipt in block.receipts:
            key, nodes = rlp.encode(receipt.index), prove(block, receipt.index)
            expected = encode(receipt, block.header)
            assert merkle.prove(block.header.receipt_root, key, nodes) == expected
        assert len(block.receipts) == count
