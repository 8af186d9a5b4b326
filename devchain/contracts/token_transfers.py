"""Token transfers in logs: the Transfer events of ERC-20, ERC-721 and ERC-1155.

The events are recognized by signature and shape alone: any contract can emit them, for accounts
that have nothing to do with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from devchain.contracts.abi import Param, decode_values
from devchain.types import WORD_SIZE, Address

TRANSFER = bytes.fromhex("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
"""`Transfer(address,address,uint256)`: of ERC-721 the third argument is indexed, the token's id."""
TRANSFER_SINGLE = bytes.fromhex("c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62")
"""`TransferSingle(address,address,address,uint256,uint256)`"""
TRANSFER_BATCH = bytes.fromhex("4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb")
"""`TransferBatch(address,address,address,uint256[],uint256[])`"""

SINGLE = (Param("id", "uint256"), Param("value", "uint256"))
BATCH = (Param("ids", "uint256[]"), Param("values", "uint256[]"))
ADDRESS_PADDING = bytes(12)
TOPICS_OF_ERC20, TOPICS_OF_ERC721 = 3, 4


class TokenTransfer(NamedTuple):
    """What a log says was transferred; the zero address mints and burns.

    `token_id` is None of an ERC-20 token; `amount` is in the token's smallest unit, 1 of an
    ERC-721 token.
    """

    token: Address
    sender: Address
    recipient: Address
    amount: int
    token_id: int | None = None


def token_transfers(
    token: Address, topics: Sequence[bytes], data: bytes
) -> tuple[TokenTransfer, ...]:
    """The transfers that a log reports, one or a batch; none for a log of another shape."""
    if not topics:
        return ()
    if topics[0] == TRANSFER:
        return _transfer(token, topics, data)
    if topics[0] not in {TRANSFER_SINGLE, TRANSFER_BATCH} or len(topics) != TOPICS_OF_ERC721:
        return ()
    sender, recipient = _address(topics[2]), _address(topics[3])
    if sender is None or recipient is None:
        return ()
    if topics[0] == TRANSFER_SINGLE:
        pair = decode_values(SINGLE, data) if len(data) == 2 * WORD_SIZE else None
        pairs = [pair] if pair else []
    else:
        ids, amounts = decode_values(BATCH, data) or ((), ())
        pairs = list(zip(ids, amounts, strict=True)) if len(ids) == len(amounts) else []
    return tuple(
        TokenTransfer(token, sender, recipient, amount, token_id) for token_id, amount in pairs
    )


def _transfer(token: Address, topics: Sequence[bytes], data: bytes) -> tuple[TokenTransfer, ...]:
    if len(topics) not in {TOPICS_OF_ERC20, TOPICS_OF_ERC721}:
        return ()
    sender, recipient = _address(topics[1]), _address(topics[2])
    if sender is None or recipient is None:
        return ()
    if len(topics) == TOPICS_OF_ERC721:
        token_id = int.from_bytes(topics[3])
        return (TokenTransfer(token, sender, recipient, 1, token_id),)
    if len(data) != WORD_SIZE:
        return ()
    return (TokenTransfer(token, sender, recipient, int.from_bytes(data)),)


def _address(word: bytes) -> Address | None:
    return Address(word[12:]) if word[:12] == ADDRESS_PADDING else None
