"""`devchain.evm.rootstock.header`"""

from __future__ import annotations

from typing import Any

import pytest
import rlp
from eth.constants import BLANK_ROOT_HASH, EMPTY_UNCLE_HASH
from eth_hash.auto import keccak
from hypothesis import given
from hypothesis import strategies as st

from devchain.evm.rootstock.header import RootstockHeader

VALUES: dict[str, Any] = {
    "parent_hash": b"\x01" * 32,
    "uncles_hash": b"\x02" * 32,
    "coinbase": b"\x03" * 20,
    "state_root": b"\x04" * 32,
    "transaction_root": b"\x05" * 32,
    "receipt_root": b"\x06" * 32,
    "bloom": 7,
    "difficulty": 8,
    "block_number": 9,
    "gas_limit": 10,
    "gas_used": 11,
    "timestamp": 12,
    "extra_data": b"\x0d",
    "paid_fees": 14,
    "minimum_gas_price": 15,
    "uncle_count": 16,
    "bitcoin_merged_mining_header": b"\x11" * 80,
}
"""The fields in the real node's order, each with a value of its own."""


class TestEncoding:
    def test_order(self) -> None:
        """The RLP has the fields in the real node's order, the bloom with all its bytes."""
        items = rlp.decode(rlp.encode(RootstockHeader(**VALUES)))

        # The bloom has its 256 bytes; every other number is as short as it can be.
        plain = [value if isinstance(value, bytes) else bytes([value]) for value in VALUES.values()]
        plain[6] = (7).to_bytes(256, "big")
        assert items == plain

    def test_empty(self) -> None:
        """What is not said is what an empty block has."""
        header = RootstockHeader()

        assert (header.transaction_root, header.receipt_root) == (BLANK_ROOT_HASH, BLANK_ROOT_HASH)
        assert (header.uncles_hash, header.uncle_count) == (EMPTY_UNCLE_HASH, 0)
        assert (header.paid_fees, header.bitcoin_merged_mining_header) == (0, b"")

    @given(
        number=st.integers(0, 2**64),
        price=st.integers(0, 2**128),
        extra=st.binary(max_size=32),
        bloom=st.integers(0, 2**2048 - 1),
    )
    def test_round_trip(self, number: int, price: int, extra: bytes, bloom: int) -> None:
        """A header read from its own bytes is the same, with the same hash."""
        header = RootstockHeader(
            block_number=number, minimum_gas_price=price, extra_data=extra, bloom=bloom
        )

        again = rlp.decode(rlp.encode(header), RootstockHeader)

        assert (again, again.hash) == (header, header.hash)

    def test_unknown_field(self) -> None:
        """A field nobody knows is a mistake."""
        with pytest.raises(TypeError):
            RootstockHeader(base_fee=1)


class TestHashes:
    def test_hash(self) -> None:
        """The hash is of the RLP; another call gives the same."""
        header = RootstockHeader(**VALUES)

        assert header.hash == keccak(rlp.encode(header)) == header.hash
        assert header.hex_hash == "0x" + header.hash.hex()

    def test_of_a_copy(self) -> None:
        """A changed copy has a hash of its own, though the first one's was kept."""
        header = RootstockHeader(**VALUES)
        before = header.hash

        changed = header.copy(paid_fees=1)

        assert changed.hash == keccak(rlp.encode(changed))
        assert changed.hash != before

    @pytest.mark.parametrize("name", VALUES)
    def test_covers(self, name: str) -> None:
        """Every field is in the hash; what miners commit to leaves out only the proof."""
        header = RootstockHeader(**VALUES)
        value = VALUES[name]
        changed = header.copy(**{name: bytes(len(value)) if isinstance(value, bytes) else 99})
        is_proof = name == "bitcoin_merged_mining_header"

        assert changed.hash != header.hash
        assert (changed.hash_for_merged_mining == header.hash_for_merged_mining) == is_proof

    def test_for_merged_mining(self) -> None:
        """Miners commit to the fields before the proof of work."""
        header = RootstockHeader(**VALUES)

        items = rlp.decode(rlp.encode(header))[:-1]

        assert header.hash_for_merged_mining == keccak(rlp.encode(items)) == header.mining_hash


class TestForPyEvm:
    def test_base_fee(self) -> None:
        """BASEFEE gives the minimum gas price (RSKIP412)."""
        assert RootstockHeader(minimum_gas_price=5).base_fee_per_gas == 5

    @pytest.mark.parametrize(("number", "is_genesis"), [(0, True), (1, False)])
    def test_genesis(self, number: int, *, is_genesis: bool) -> None:
        """Block zero is the genesis block."""
        assert RootstockHeader(block_number=number).is_genesis == is_genesis

    def test_constants(self) -> None:
        """Ethash's fields are zero: the proof of work is in the bitcoin header."""
        header = RootstockHeader()

        assert (header.mix_hash, header.nonce) == (bytes(32), bytes(8))
