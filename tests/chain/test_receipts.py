"""`devchain.chain.receipts`"""

from __future__ import annotations

import pytest
from eth.db.trie import make_trie_root_and_nodes
from eth_bloom.bloom import BloomFilter
from hypothesis import given
from hypothesis import strategies as st

from devchain.chain.block import Log
from devchain.chain.receipts import bloom_of, list_root
from devchain.types import Address, Hash32
from tests.merkle import root_of_list


class Encoded:
    """What py-evm calls a transaction: something that knows its bytes."""

    def __init__(self, raw: bytes) -> None:
        """Know those bytes."""
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
        """The root of a list is py-evm's, and that of the yellow paper's definition."""
        assert list_root(values) == by_py_evm(values) == root_of_list(values)

    @pytest.mark.parametrize("count", [0, 1, 2, 16, 17, 127, 128, 129, 255, 256, 257, 300])
    @pytest.mark.parametrize("size", [1, 200], ids=["short", "long"])
    def test_counts(self, count: int, size: int) -> None:
        """Keys of one, two and three bytes; nodes that are part of their parents, and hashes."""
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
        """The bloom has the bits of every address and topic, as the bloom library has them."""
        values = [value for address, topics in logs for value in (address, *topics)]
        ours = [
            Log(Address(address), tuple(map(Hash32, topics)), b"data") for address, topics in logs
        ]

        assert bloom_of(ours) == int(BloomFilter.from_iterable(values))
