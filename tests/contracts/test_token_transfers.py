"""`devchain.contracts.token_transfers`"""

from __future__ import annotations

import pytest
from eth_hash.auto import keccak
from hypothesis import given
from hypothesis import strategies as st

from devchain.contracts.token_transfers import (
    TRANSFER,
    TRANSFER_BATCH,
    TRANSFER_SINGLE,
    token_transfers,
)
from devchain.types import Transfer
from tests.accounts import ALICE, BOB, CAROL
from tests.bytecode import address_word, word

FROM, TO, OPERATOR = address_word(ALICE), address_word(BOB), address_word(CAROL)
ARRAYS = word(64) + word(160) + word(2) + word(7) + word(8) + word(2) + word(70) + word(80)
"""The ids 7 and 8, and the amounts 70 and 80."""


class TestTokenTransfers:
    @pytest.mark.parametrize(
        ("topic", "signature"),
        [
            (TRANSFER, "Transfer(address,address,uint256)"),
            (TRANSFER_SINGLE, "TransferSingle(address,address,address,uint256,uint256)"),
            (TRANSFER_BATCH, "TransferBatch(address,address,address,uint256[],uint256[])"),
        ],
        ids=["ERC-20", "single", "batch"],
    )
    def test_signatures(self, topic: bytes, signature: str) -> None:
        """The topics are the hashes of the standards' event signatures."""
        assert topic == keccak(signature.encode())

    def test_erc20(self) -> None:
        """Two indexed addresses, and the amount as data."""
        found = token_transfers(CAROL, [TRANSFER, FROM, TO], word(5))

        assert found == [Transfer(CAROL, ALICE, BOB, 5)]

    def test_erc721(self) -> None:
        """With a third indexed argument that is the id of one token."""
        found = token_transfers(CAROL, [TRANSFER, FROM, TO, word(9)], b"")

        assert found == [Transfer(CAROL, ALICE, BOB, 1, 9)]

    def test_single(self) -> None:
        """An ERC-1155 transfer names its operator first; the data are an id and an amount."""
        topics = [TRANSFER_SINGLE, OPERATOR, FROM, TO]

        found = token_transfers(CAROL, topics, word(9) + word(3))

        assert found == [Transfer(CAROL, ALICE, BOB, 3, 9)]

    def test_batch(self) -> None:
        """A batch has one transfer for each id."""
        topics = [TRANSFER_BATCH, OPERATOR, FROM, TO]

        found = token_transfers(CAROL, topics, ARRAYS)

        assert [(each.token_id, each.amount) for each in found] == [(7, 70), (8, 80)]

    @pytest.mark.parametrize(
        ("topics", "data"),
        [
            ([], b""),
            ([TRANSFER], word(5)),
            ([TRANSFER, FROM, TO], b""),
            ([TRANSFER, FROM, TO], word(5) * 2),
            ([TRANSFER, b"\1" * 32, TO], word(5)),
            ([TRANSFER_SINGLE, OPERATOR, FROM], word(9) + word(3)),
            ([TRANSFER_SINGLE, OPERATOR, FROM, TO], word(9)),
            ([TRANSFER_BATCH, OPERATOR, FROM, TO], word(2**255) + word(64)),
            ([TRANSFER_BATCH, OPERATOR, FROM, TO], word(64) * 2 + word(2**255)),
            ([TRANSFER_BATCH, OPERATOR, FROM, TO], ARRAYS[:-1]),
            ([TRANSFER_BATCH, OPERATOR, FROM, TO], word(64) + word(128) + word(1) * 2 + word(0)),
        ],
        ids=range(11),
    )
    def test_other_shapes(self, topics: list[bytes], data: bytes) -> None:
        """Logs that are not of the standards' shapes have no transfers."""
        assert token_transfers(CAROL, topics, data) == []

    @given(
        st.sampled_from([TRANSFER, TRANSFER_SINGLE, TRANSFER_BATCH]),
        st.lists(st.binary(min_size=32, max_size=32), max_size=3),
        st.binary(max_size=300),
    )
    def test_anything(self, signature: bytes, topics: list[bytes], data: bytes) -> None:
        """Whatever a contract logs, there are no more transfers than words of data, or one."""
        found = token_transfers(CAROL, [signature, *topics], data)

        assert len(found) <= max(len(data) // 32, 1)
