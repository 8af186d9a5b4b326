"""`devchain.rpc.block_parameter`"""

from __future__ import annotations

import pytest

from devchain.rpc.block_parameter import block_ref
from devchain.rpc.scalar_decoders import DecodeContext
from devchain.types import BlockHash, BlockRef, Hash32, Tag
from tests.rpc.refusals import refusal

HASH = Hash32(bytes.fromhex("c0" * 32))
HASH_HEX = "0x" + "c0" * 32


class TestBlockRef:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ("0x0", 0),
            ("0x0010", 16),
            (16, 16),
            ("latest", Tag.LATEST),
            ("earliest", Tag.EARLIEST),
            ("pending", Tag.PENDING),
            ("safe", Tag.SAFE),
            ("finalized", Tag.FINALIZED),
            (HASH_HEX, BlockHash(HASH)),
            ({"blockNumber": "0x10"}, 16),
            ({"blockNumber": 16}, 16),
            ({"blockNumber": "0x10", "requireCanonical": True}, 16),
            ({"blockHash": HASH_HEX}, BlockHash(HASH)),
            ({"blockHash": HASH_HEX, "blockNumber": None}, BlockHash(HASH)),
            ({"blockHash": HASH_HEX, "requireCanonical": None}, BlockHash(HASH)),
            ({"blockHash": HASH_HEX, "requireCanonical": False}, BlockHash(HASH)),
            ({"blockHash": HASH_HEX, "requireCanonical": True}, BlockHash(HASH)),
            ({"blockHash": HASH_HEX, "requireCanonical": "true"}, BlockHash(HASH)),
            ({"blockHash": HASH_HEX, "requireCanonical": "false"}, BlockHash(HASH)),
            ({"blockNumber": "0x10", "requireCanonical": "false"}, 16),
        ],
    )
    def test_accepted(self, context: DecodeContext, value: object, expected: BlockRef) -> None:
        """A block is named by number, tag, 32-byte hash or an EIP-1898 map."""
        actual = block_ref(value, context)

        assert actual == expected
        assert type(actual) is type(expected)

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ({}, "want exactly one of blockHash and blockNumber"),
            ({"requireCanonical": True}, "want exactly one of blockHash and blockNumber"),
            (
                {"blockHash": HASH_HEX, "blockNumber": "0x1"},
                "want exactly one of blockHash and blockNumber",
            ),
            ({"blockHash": "0x12"}, "blockHash: want 32 bytes, got 1"),
            (
                {"blockNumber": "latest"},
                "blockNumber: want a QUANTITY such as 0x1f, got 'latest'",
            ),
            (
                {"blockHash": HASH_HEX, "requireCanonical": "yes"},
                "requireCanonical: want true or false, got text",
            ),
            (
                {"blockHash": HASH_HEX, "requireCanonical": 1},
                "requireCanonical: want true or false, got a number",
            ),
            (
                {"blockNumber": hex(2**64)},
                f"blockNumber: '{2**64:#x}' is larger than 64 bits hold",
            ),
            (
                {"number": "0x1"},
                "unknown member 'number': known are blockHash, blockNumber, requireCanonical",
            ),
        ],
    )
    def test_bad_map(self, context: DecodeContext, value: object, expected: str) -> None:
        """A map names one block; the sentence says what is wrong with it."""
        actual = refusal(block_ref, value, context)

        assert actual == expected

    @pytest.mark.parametrize(
        "value", ["LATEST", "newest", "", "0x", "12", "0x1" + "0" * 16, None, True, 1.5, -1, []]
    )
    def test_refused(self, context: DecodeContext, value: object) -> None:
        """What names no block is refused with the tags there are."""
        actual = refusal(block_ref, value, context)

        assert actual.startswith("want a block number, tag or hash: ")
        assert actual.endswith("; tags are latest, earliest, pending, safe, finalized")
