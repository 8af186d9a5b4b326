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
    "umm_root": b"\x10" * 20,
    "bitcoin_merged_mining_header": b"\x11" * 80,
}
"""The fields in rskj's order, each with a different value."""


class TestEncoding:
    def test_order(self) -> None:
        """The RLP has the fields in rskj's order, the bloom with all its bytes."""
        items = rlp.decode(rlp.encode(RootstockHeader(**VALUES)))

        # The bloom has its 256 bytes; numbers below 128 need no byte for a sign.
        plain = [value if isinstance(value, bytes) else bytes([value]) for value in VALUES.values()]
        plain[6] = (7).to_bytes(256, "big")
        assert items == plain

    def test_empty(self) -> None:
        """The defaults are those of an empty block."""
        header = RootstockHeader()

        assert (header.transaction_root, header.receipt_root) == (BLANK_ROOT_HASH, BLANK_ROOT_HASH)
        assert (header.uncles_hash, header.uncle_count) == (EMPTY_UNCLE_HASH, 0)
        assert (header.paid_fees, header.bitcoin_merged_mining_header) == (0, b"")

    @given(
        number=st.integers(0, 2**64),
        price=st.integers(0, 2**128),
        extra=st.binary(max_size=32),
        bloom=st.integers(0, 2**2048 - 1),
        umm_root=st.sampled_from([None, b""]),
        proof=st.sampled_from([b"", b"\x11" * 80]),
    )
    def test_round_trip(
        self,
        number: int,
        price: int,
        extra: bytes,
        bloom: int,
        umm_root: bytes | None,
        proof: bytes,
    ) -> None:
        """Decoding an encoded header gives an equal header with the same hash."""
        header = RootstockHeader(
            block_number=number,
            gas_limit=price,
            minimum_gas_price=price,
            extra_data=extra,
            bloom=bloom,
            umm_root=umm_root,
            bitcoin_merged_mining_header=proof,
        )

        again = rlp.decode(rlp.encode(header), RootstockHeader)

        assert (again, again.hash) == (header, header.hash)

    @pytest.mark.parametrize(
        ("value", "signed", "minimal"),
        [
            (0, b"\0", b""),
            (127, b"\x7f", b"\x7f"),
            (128, b"\0\x80", b"\x80"),
            (10_000_000, b"\0\x98\x96\x80", b"\x98\x96\x80"),
        ],
    )
    def test_numbers(self, value: int, signed: bytes, minimal: bytes) -> None:
        """Three numbers have a sign bit, as Java encodes them; the others are minimal."""
        names = ("difficulty", "gas_limit", "minimum_gas_price", "paid_fees")
        header = RootstockHeader(block_number=1, **dict.fromkeys(names, value))

        items = rlp.decode(header.encode())

        assert (items[7], items[9], items[14], items[13]) == (signed, signed, signed, minimal)

    def test_genesis_gas_limit(self) -> None:
        """The gas limit of genesis has no sign bit."""
        assert rlp.decode(RootstockHeader(gas_limit=128).encode())[9] == b"\x80"

    def test_absent(self) -> None:
        """A header before Papyrus has no UMM root, one that is not merged-mined no proof."""
        lengths = [
            len(rlp.decode(RootstockHeader(**values).encode()))
            for values in ({}, {"umm_root": b""}, {"bitcoin_merged_mining_header": bytes(80)})
        ]

        assert lengths == [16, 17, 17]

    def test_zero_coinbase(self) -> None:
        """The zero address is encoded as empty and decoded as itself."""
        header = RootstockHeader()

        assert rlp.decode(header.encode())[2] == b""
        assert rlp.decode(header.encode(), RootstockHeader).coinbase == bytes(20)

    @pytest.mark.parametrize("count", [0, 1, 15, 18, 19])
    def test_wrong_number_of_fields(self, count: int) -> None:
        """A list of another length is rejected."""
        with pytest.raises(rlp.DeserializationError):
            rlp.decode(rlp.encode([b"\x01"] * count), RootstockHeader)

    def test_unknown_field(self) -> None:
        """An unknown field is a TypeError."""
        with pytest.raises(TypeError):
            RootstockHeader(base_fee=1)


class TestHashes:
    def test_hash(self) -> None:
        """The hash is keccak-256 of the RLP, cached."""
        header = RootstockHeader(**VALUES)

        assert header.hash == keccak(rlp.encode(header)) == header.hash

    def test_of_a_copy(self) -> None:
        """A changed copy does not keep the cached hash."""
        header = RootstockHeader(**VALUES)
        before = header.hash

        changed = header.copy(paid_fees=1)

        assert changed.hash == keccak(rlp.encode(changed))
        assert changed.hash != before

    @pytest.mark.parametrize("name", VALUES)
    def test_covers(self, name: str) -> None:
        """The hash covers every field, the hash for merged mining all but the proof."""
        header = RootstockHeader(**VALUES)
        value = VALUES[name]
        changed = header.copy(**{name: bytes(len(value)) if isinstance(value, bytes) else 99})
        is_proof = name == "bitcoin_merged_mining_header"

        assert changed.hash != header.hash
        assert (changed.hash_for_merged_mining == header.hash_for_merged_mining) == is_proof

    def test_for_merged_mining(self) -> None:
        """The hash for merged mining covers the fields before the proof of work."""
        header = RootstockHeader(**VALUES)

        items = rlp.decode(rlp.encode(header))[:-1]

        assert header.hash_for_merged_mining == keccak(rlp.encode(items))

    def test_fork_data(self) -> None:
        """Fork detection data replaces the end of the hash for merged mining only."""
        header = RootstockHeader(**VALUES)
        tagged = header.copy(fork_data=bytes(range(12)))

        assert tagged.hash_for_merged_mining == header.hash_for_merged_mining[:20] + bytes(
            range(12)
        )
        assert (tagged, tagged.hash) == (header, header.hash)

    def test_committed(self) -> None:
        """A sealed header has the Bitcoin header made for its hash, and the matching block hash."""
        header = RootstockHeader(**VALUES).copy(bitcoin_merged_mining_header=b"")
        sealed_hashes: list[bytes] = []

        sealed = header.committed(
            lambda tagged: sealed_hashes.append(tagged) or tagged.ljust(80, b"\x01")
        )

        assert sealed_hashes == [header.hash_for_merged_mining]
        assert sealed.bitcoin_merged_mining_header == sealed_hashes[0].ljust(80, b"\x01")
        assert sealed.hash == keccak(sealed.encode())
        assert sealed.hash_for_merged_mining == header.hash_for_merged_mining


def test_fields_of_py_evm() -> None:
    """The base fee is the minimum gas price (RSKIP412), Ethash's fields are zero."""
    header = RootstockHeader(minimum_gas_price=5)

    assert (header.base_fee_per_gas, header.mix_hash, header.nonce) == (5, bytes(32), bytes(8))
