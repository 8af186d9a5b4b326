"""JSON objects of the `ots_` methods, in the shapes of Erigon, which Otterscan reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from devchain.chain.block import Block
from devchain.rpc.json_codec import Number
from devchain.rpc.result_objects import (
    JsonObject,
    block_object,
    receipt_object,
    transaction_object,
)
from devchain.tracing.frames import SELFDESTRUCT, Frame, flatten
from devchain.types import SELECTOR_SIZE

if TYPE_CHECKING:
    from devchain.node.address_history import Appearance, HistoryPage

NOT_IN_HEADERS = ("transactions", "uncles", "withdrawals")
TRANSFER, SELF_DESTRUCT = 0, 1
CREATIONS = {"CREATE": 2, "CREATE2": 3}
"""The numbers that Otterscan has for internal operations."""
WITHOUT_VALUE = {"STATICCALL", "DELEGATECALL"}


def header_object(block: Block) -> JsonObject:
    """A block without its transactions, uncles and withdrawals."""
    members = block_object(block, full=False)
    return {name: value for name, value in members.items() if name not in NOT_IN_HEADERS}


def block_details_object(block: Block, reward: int) -> JsonObject:
    """A block without its transactions and its bloom, with their number, its fees and rewards."""
    details = {**block_object(block, full=False), "transactionCount": _count(block)}
    details["logsBloom"] = None
    del details["transactions"]
    return {
        "block": details,
        "issuance": {"blockReward": reward, "uncleReward": 0, "issuance": reward},
        "totalFees": sum(receipt.fee for receipt in block.receipts),
    }


def block_transactions_object(block: Block, page: int, size: int) -> JsonObject:
    """A page of a block's transactions and their receipts; page 0 ends with the last of them.

    In a page they are in the order of the block. Of a transaction's input only the selector is
    returned, and receipts have neither logs nor bloom.
    """
    end = max(len(block.transactions) - page * size, 0)
    places = range(max(end - size, 0), end)
    transactions = []
    for place in places:
        members = transaction_object(block.transactions[place], block, place)
        transactions.append({**members, "input": members["input"][:SELECTOR_SIZE]})
    receipts = [
        {**receipt_object(block, block.receipts[place]), "logs": None, "logsBloom": None}
        for place in places
    ]
    full = {**block_object(block, full=False), "transactions": transactions, "logsBloom": None}
    return {"fullblock": {**full, "transactionCount": _count(block)}, "receipts": receipts}


def _count(block: Block) -> Number:
    return Number(len(block.transactions))


def history_object(page: HistoryPage) -> JsonObject:
    """Transactions of an account with their receipts, each with its block's timestamp."""
    return {
        "txs": [_transaction(appearance) for appearance in page.appearances],
        "receipts": [_receipt(appearance) for appearance in page.appearances],
        "firstPage": page.newer is None,
        "lastPage": page.older is None,
    }


def _transaction(found: Appearance) -> JsonObject:
    return transaction_object(found.receipt.transaction, found.block, found.receipt.index)


def _receipt(found: Appearance) -> JsonObject:
    return {**receipt_object(found.block, found.receipt), "timestamp": found.block.timestamp}


def trace_entries(top: Frame) -> list[JsonObject]:
    """The calls, creations and self-destructs of a transaction, in the order of execution.

    Calls of precompiled contracts below the first are omitted.
    """
    return [
        {
            "type": flat.frame.kind,
            "depth": Number(len(flat.path)),
            "from": flat.frame.sender,
            "to": flat.frame.to,
            "value": None if flat.frame.kind in WITHOUT_VALUE else flat.frame.value or 0,
            "input": flat.frame.input,
            "output": flat.frame.output,
        }
        for flat in flatten(top)
    ]


def internal_operations(top: Frame) -> list[JsonObject]:
    """The transfers, creations and self-destructs below the first message of a transaction."""
    return [
        {
            "type": Number(kind),
            "from": frame.sender,
            "to": frame.to,
            "value": frame.value or 0,
        }
        for frame, kind in _operations(top)
    ]


def _operations(top: Frame) -> Iterator[tuple[Frame, int]]:
    below: Sequence[Frame] = [*top.walk()][1:]
    for frame in below:
        if frame.is_creation:
            yield frame, CREATIONS[frame.kind]
        elif frame.kind == SELFDESTRUCT:
            yield frame, SELF_DESTRUCT
        elif frame.kind == "CALL" and frame.value:
            yield frame, TRANSFER
