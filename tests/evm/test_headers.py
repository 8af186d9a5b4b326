"""`devchain.evm.headers`, held to py-evm's own copies and encoding"""

from __future__ import annotations

from typing import Any

import pytest
import rlp
from eth_hash.auto import keccak

from devchain.evm.hardforks import rules_for
from devchain.evm.headers import changed_header, encode_header, hash_header
from devchain.evm.rules import HeaderFields
from devchain.networks import ETHEREUM
from devchain.types import ZERO_ADDRESS, Address, Hash32
from tests.accounts import BOB

CHANGES: dict[str, Any] = {
    "bloom": 2**2047 + 5,
    "coinbase": ZERO_ADDRESS,
    "difficulty": 0,
    "extra_data": b"",
    "gas_used": 2**63,
    "state_root": Hash32(b"\2" * 32),
    "timestamp": 127,
}


def header(hardfork: str, coinbase: Address = BOB) -> Any:
    """The header of block 1."""
    rules = rules_for(hardfork)
    fields = HeaderFields(1_000, coinbase, gas_limit=30_000_000, minimum_gas_price=7)
    first = rules.genesis_header(fields, Hash32(b"\1" * 32))
    return rules.next_header(first, Hash32(first.hash), fields._replace(timestamp=1_001))


@pytest.mark.parametrize("hardfork", ETHEREUM)
class TestHeaders:
    def test_copies(self, hardfork: str) -> None:
        """A copy is py-evm's, and its hash is computed anew."""
        plain = header(hardfork)
        assert plain.hash

        copied = changed_header(plain, **CHANGES)

        assert type(copied) is type(plain)
        assert copied == plain.copy(**CHANGES)
        assert copied.hash == plain.copy(**CHANGES).hash != plain.hash

    def test_encoding(self, hardfork: str) -> None:
        """The bytes and the hash are those of rlp's serializer."""
        for each in (header(hardfork), header(hardfork).copy(**CHANGES)):
            assert encode_header(each) == rlp.encode(each)
            assert hash_header(each) == each.hash == keccak(rlp.encode(each))

    def test_unknown_field(self, hardfork: str) -> None:
        """A header has no other fields than its hardfork's."""
        with pytest.raises(KeyError):
            changed_header(header(hardfork), minimum_gas_price=1)
