"""Token transfers in logs: the Transfer events of ERC-20, ERC-721 and ERC-1155.

The events are recognized by signature and shape alone: any contract can emit them, for accounts
that have nothing to do with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from devchain.contracts.abi import Param, decode_values
from devchain.types import WORD_SIZE, Address, Transfer

TRANSFER = bytes.fromhex("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
"""`Transfer(address,address,uint256)`: of ERC-721 the third argument is indexed, the token's id."""
TRANSFER_SINGLE = bytes.fromhex("c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62")
"""`TransferSingle(address,address,address,uint256,uint256)`"""
TRANSFER_BATCH = bytes.fromhex("4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb")
"""`TransferBatch(address,address,address,uint256[],uint256[])`"""

BATCH = (Param("ids", "uint256[]"), Param("values", "uint256[]"))
ADDRESS_PADDING = bytes(12)
TOPICS_OF_ERC20, TOPICS_OF_OTHERS = 3, 4


def token_transfers(token: Address, topics: Sequence[bytes], data: bytes) -> list[Transfer]:
    """The transfers that a log reports, one or a batch; none for a log of another shape."""
    if not (moved := _moved(topics, data)):
        return []
    # ERC-1155 has the operator before sender and recipient.
    words = topics[1:3] if topics[0] == TRANSFER else topics[2:4]
    if not all(word.startswith(ADDRESS_PADDING) for word in words):
        return []
    sender, recipient = (Address(word[len(ADDRESS_PADDING) :]) for word in words)
    return [Transfer(token, sender, recipient, amount, token_id) for token_id, amount in moved]


def _moved(topics: Sequence[bytes], data: bytes) -> list[tuple[int | None, int]]:
    # Ids and amounts.
    kind, count = topics[0] if topics else b"", len(topics)
    if kind == TRANSFER and count == TOPICS_OF_ERC20 and len(data) == WORD_SIZE:
        return [(None, int.from_bytes(data))]
    if count != TOPICS_OF_OTHERS:
        return []
    if kind == TRANSFER:
        return [(int.from_bytes(topics[3]), 1)]
    if kind == TRANSFER_SINGLE and len(data) == 2 * WORD_SIZE:
        return [(int.from_bytes(data[:WORD_SIZE]), int.from_bytes(data[WORD_SIZE:]))]
    if kind != TRANSFER_BATCH:
        return []
    ids, amounts = decode_values(BATCH, data) or ((), ())
    return list(zip(ids, amounts, strict=True)) if len(ids) == len(amounts) else []
