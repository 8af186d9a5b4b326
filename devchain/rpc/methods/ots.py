"""`ots_` methods, and one of `erigon_`, in Erigon's shapes: what the explorer Otterscan asks for.

Few runs are explored: the functions import what traces and what indexes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devchain.chain.block import Block
from devchain.chain.slices import Slices
from devchain.errors import InvalidInput, TransactionNotFound
from devchain.evm.failures import FailureKind
from devchain.node import Node
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject, block_object, receipt_object, transaction_object
from devchain.rpc.scalar_decoders import Loose
from devchain.tracing.options import Budget, TraceOptions
from devchain.types import SELECTOR_SIZE, Address, BlockRef, Hash32, Tag

if TYPE_CHECKING:
    from devchain.tracing.frames import Frame

API_LEVEL = 8  # the version of the `ots_` methods; Otterscan needs this one at least
CALLS = TraceOptions("callTracer")
MAX_PAGE_SIZE = 1_000
TRANSFER, SELF_DESTRUCT = 0, 1
CREATIONS = {"CREATE": 2, "CREATE2": 3}  # Otterscan's numbers for internal operations
WITHOUT_VALUE = {"STATICCALL", "DELEGATECALL"}


@rpc("ots_getApiLevel")
def get_api_level(node: Node) -> Number:
    """The version of the `ots_` methods, 8."""
    return Number(API_LEVEL)


@rpc("ots_getBlockDetails", by_hash="ots_getBlockDetailsByHash")
def get_block_details(node: Node, block: BlockRef) -> JsonObject | None:
    """A block without transactions, with the sum of its fees. Null if unknown.

    `totalFees` is in wei, `issuance` the miner's reward.
    """
    found = node.chain.find_block(block)
    if found is None:
        return None
    reward = node.chain.rules_at(found.number).block_reward if found.number else 0
    details = _without_bloom(found)
    del details["transactions"]
    return {
        "block": details,
        "issuance": {"blockReward": reward, "uncleReward": 0, "issuance": reward},
        "totalFees": sum(receipt.fee for receipt in found.receipts),
    }


def _without_bloom(block: Block) -> JsonObject:
    count = Number(len(block.transactions))
    return {**block_object(block, full=False), "transactionCount": count, "logsBloom": None}


@rpc("ots_getBlockTransactions")
def get_block_transactions(
    node: Node, block: BlockRef, page_number: Loose, page_size: Loose
) -> JsonObject | None:
    """A page of a block's transactions with their receipts. Null if the block is unknown.

    Page 0 has the block's last transactions. `input` is cut off after the selector, and receipts
    have neither logs nor bloom.
    """
    _check_size(page_size)
    found = node.chain.find_block(block)
    if found is None:
        return None
    end = max(len(found.transactions) - page_number * page_size, 0)
    transactions, receipts = [], []
    for index in range(max(end - page_size, 0), end):
        members = transaction_object(found.transactions[index], found, index)
        transactions.append({**members, "input": members["input"][:SELECTOR_SIZE]})
        receipt = receipt_object(found, found.receipts[index])
        receipts.append({**receipt, "logs": None, "logsBloom": None})
    return {
        "fullblock": {**_without_bloom(found), "transactions": transactions},
        "receipts": receipts,
    }


def _check_size(page_size: int) -> None:
    if not 1 <= page_size <= MAX_PAGE_SIZE:
        raise InvalidInput(f"the page size is {page_size}: give 1 to {MAX_PAGE_SIZE}")


@rpc("ots_hasCode")
def has_code(node: Node, address: Address, block: BlockRef = Tag.LATEST) -> bool:
    """Whether an account has code at a block."""
    return bool(node.chain.state_at(block).code(address))


# Transactions


@rpc("ots_traceTransaction", slow=True)
def trace_transaction(node: Node, transaction_hash: Hash32) -> list[JsonObject]:
    """The calls, creations and self-destructs of a mined transaction, with their depths.

    `value` is null for static and delegate calls. Calls of precompiled contracts by contracts are
    left out. Error -32000: the transaction is not mined.
    """
    from devchain.tracing.frames import flatten

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
        for flat in flatten(_top_frame(node, transaction_hash))
    ]


@rpc("ots_getInternalOperations", slow=True)
def get_internal_operations(node: Node, transaction_hash: Hash32) -> list[JsonObject]:
    """The values that contracts transferred in a transaction, and what they created and destroyed.

    `type` is 0 for a transfer, 1 for a self-destruct, 2 for CREATE, 3 for CREATE2. Reverted
    operations are included, as in Erigon. Error -32000: the transaction is not mined.
    """
    from devchain.tracing.frames import SELFDESTRUCT

    operations = []
    for frame in [*_top_frame(node, transaction_hash).walk()][1:]:
        kind = CREATIONS.get(frame.kind)
        if frame.kind == SELFDESTRUCT:
            kind = SELF_DESTRUCT
        elif frame.kind == "CALL" and frame.value:
            kind = TRANSFER
        if kind is not None:
            members = {"from": frame.sender, "to": frame.to, "value": frame.value or 0}
            operations.append({"type": Number(kind), **members})
    return operations


def _top_frame(node: Node, transaction_hash: Hash32) -> Frame:
    from devchain.tracing import replay

    budget = Budget(node.config.max_trace_size)
    trace = replay.trace_transaction(node.chain, transaction_hash, CALLS, budget)
    if trace is None:
        raise TransactionNotFound("transaction not found")
    return trace.top


@rpc("ots_getTransactionError")
def get_transaction_error(node: Node, transaction_hash: Hash32) -> bytes:
    """The revert payload of a mined transaction. Empty if it did not revert.

    Error -32000: the transaction is not mined.
    """
    mined = node.chain.receipt(transaction_hash)
    if mined is None:
        raise TransactionNotFound("transaction not found")
    failure = mined[1].failure
    return failure.payload if failure and failure.kind is FailureKind.REVERT else b""


# Accounts


@rpc("ots_searchTransactionsBefore", slow=True)
def search_transactions_before(
    node: Node, address: Address, block_number: Loose, page_size: Loose
) -> Slices[JsonObject]:
    """The newest transactions that touched an account, below a block number. 0: no limit.

    The account sent or received them, was created by them, or was called in them. They are newest
    first, at most `page_size` (1 to 1000) and the rest of the last block. `firstPage` and
    `lastPage` say whether nothing is newer or older. A fork searches the blocks since the fork.
    """
    return (yield from _search(node, address, page_size, before=block_number or None))


@rpc("ots_searchTransactionsAfter", slow=True)
def search_transactions_after(
    node: Node, address: Address, block_number: Loose, page_size: Loose
) -> Slices[JsonObject]:
    """The oldest transactions that touched an account, above a block number. 0: no limit.

    The result has the form of `ots_searchTransactionsBefore`, newest first too.
    """
    return (yield from _search(node, address, page_size, after=block_number))


def _search(
    node: Node,
    address: Address,
    page_size: int,
    *,
    before: int | None = None,
    after: int | None = None,
) -> Slices[JsonObject]:
    from devchain.chain.storage.address_index import MAX_INDEX, Role

    _check_size(page_size)
    page = yield from node.address_history.page_in_slices(
        address,
        before=None if before is None else (before, 0),
        after=None if after is None else (after, MAX_INDEX),
        count=page_size,
        roles=Role.SENDER | Role.RECIPIENT | Role.CREATED | Role.INTERNAL,
        whole_blocks=True,
    )
    mined = [(found.block, found.receipt) for found in page.appearances]
    return {
        "txs": [transaction_object(each.transaction, block, each.index) for block, each in mined],
        "receipts": [
            {**receipt_object(block, receipt), "timestamp": block.timestamp}
            for block, receipt in mined
        ],
        "firstPage": page.newer is None,
        "lastPage": page.older is None,
    }


@rpc("ots_getTransactionBySenderAndNonce", slow=True)
def get_transaction_by_sender_and_nonce(
    node: Node, address: Address, nonce: Loose
) -> Slices[Hash32 | None]:
    """The hash of the mined transaction that an account sent with that nonce. Null if none."""
    receipt = yield from node.address_history.sent_in_slices(address, nonce)
    return receipt.transaction.hash if receipt else None


@rpc("ots_getContractCreator", slow=True)
def get_contract_creator(node: Node, address: Address) -> Slices[JsonObject | None]:
    """The transaction that created a contract, and its creator: `{hash, creator}`. Null if none.

    Contracts of the genesis block, of cheats and of blocks before a fork have none.
    """
    index = yield from node.address_history.update_in_slices()
    made = index.newest_creation(address)
    if made is None:
        return None
    number, place = made.position
    return {"hash": node.chain.block(number).transactions[place].hash, "creator": made.creator}
