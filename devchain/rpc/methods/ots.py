"""`ots_` methods, and one of `erigon_`: what the block explorer Otterscan asks a node for.

Few runs are explored: the functions import what traces and what indexes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devchain.chain.slices import SLOW, Slices
from devchain.errors import (
    BlockNotFound,
    ExecutionTimedOut,
    InvalidInput,
    LimitExceeded,
    TransactionNotFound,
)
from devchain.evm.failures import FailureKind
from devchain.node import Node
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject
from devchain.rpc.scalar_decoders import Loose
from devchain.tracing.options import Budget, TraceOptions
from devchain.types import Address, BlockHash, BlockRef, Hash32, Tag

if TYPE_CHECKING:
    from devchain.chain.block import Block
    from devchain.tracing.frames import Frame

API_LEVEL = 8
"""The version of the `ots_` methods; Otterscan needs this one at least."""
CALLS = TraceOptions("callTracer")
MAX_PAGE_SIZE = 1_000


@rpc("erigon_getHeaderByNumber")
def get_header_by_number(node: Node, block: BlockRef) -> JsonObject | None:
    """A block by its number or tag, without transactions and uncles; null if it does not exist."""
    from devchain.rpc.otterscan_objects import header_object

    found = node.chain.find_block(block)
    return header_object(found) if found else None


@rpc("ots_getApiLevel")
def get_api_level(node: Node) -> Number:
    """The version of the `ots_` methods, 8."""
    return Number(API_LEVEL)


@rpc("ots_getBlockDetails")
def get_block_details(node: Node, block: BlockRef) -> JsonObject | None:
    """A block by its number or tag with the sum of its fees; null if it does not exist.

    `block` has `transactionCount` instead of transactions, and no bloom; `totalFees` is what its
    transactions paid for gas, in wei, `issuance` the miner's reward, which only early Ethereum has.
    """
    return _block_details(node, node.chain.find_block(block))


@rpc("ots_getBlockDetailsByHash")
def get_block_details_by_hash(node: Node, block_hash: Hash32) -> JsonObject | None:
    """As `ots_getBlockDetails`, of a block by its hash."""
    return _block_details(node, node.chain.find_block(BlockHash(block_hash)))


def _block_details(node: Node, block: Block | None) -> JsonObject | None:
    from devchain.rpc.otterscan_objects import block_details_object

    if block is None:
        return None
    reward = node.chain.rules_at(block.number).block_reward if block.number else 0
    return block_details_object(block, reward)


@rpc("ots_getBlockTransactions")
def get_block_transactions(
    node: Node, block: BlockRef, page_number: Loose, page_size: Loose
) -> JsonObject | None:
    """A page of a block's transactions with their receipts; null if the block does not exist.

    Pages count from the end of the block: page 0 has its last transactions, in the block's order.
    `input` is cut off after the selector, receipts have neither logs nor bloom.
    """
    from devchain.rpc.otterscan_objects import block_transactions_object

    _check_size(page_size)
    found = node.chain.find_block(block)
    return block_transactions_object(found, page_number, page_size) if found else None


def _check_size(page_size: int) -> None:
    if not 1 <= page_size <= MAX_PAGE_SIZE:
        raise InvalidInput(f"the page size is {page_size}: give 1 to {MAX_PAGE_SIZE}")


@rpc("ots_hasCode", raises=(BlockNotFound,))
def has_code(node: Node, address: Address, block: BlockRef = Tag.LATEST) -> bool:
    """Whether an account has code at a block."""
    return bool(node.chain.state_at(block).code(address))


# Transactions


@rpc(
    "ots_traceTransaction",
    slow=True,
    raises=(TransactionNotFound, LimitExceeded, ExecutionTimedOut),
)
def trace_transaction(node: Node, transaction_hash: Hash32) -> list[JsonObject]:
    """The calls, creations and self-destructs of a mined transaction, each with its depth.

    `value` is null for static and delegate calls. Calls of precompiled contracts by contracts are
    omitted. Error -32000 if the transaction is not mined.
    """
    from devchain.rpc.otterscan_objects import trace_entries

    return trace_entries(_top_frame(node, transaction_hash))


@rpc(
    "ots_getInternalOperations",
    slow=True,
    raises=(TransactionNotFound, LimitExceeded, ExecutionTimedOut),
)
def get_internal_operations(node: Node, transaction_hash: Hash32) -> list[JsonObject]:
    """What contracts transferred, created and destroyed in a mined transaction.

    `type` is 0 for a transfer of value, 1 for a self-destruct, 2 for CREATE, 3 for CREATE2. What
    the transaction itself transfers or creates is not internal. What was reverted is returned too,
    as by Erigon. Error -32000 if the transaction is not mined.
    """
    from devchain.rpc.otterscan_objects import internal_operations

    return internal_operations(_top_frame(node, transaction_hash))


def _top_frame(node: Node, transaction_hash: Hash32) -> Frame:
    from devchain.tracing import replay

    budget = Budget(node.config.max_trace_size)
    trace = replay.trace_transaction(node.chain, transaction_hash, CALLS, budget)
    if trace is None:
        raise TransactionNotFound("transaction not found")
    return trace.top


@rpc("ots_getTransactionError", raises=(TransactionNotFound,))
def get_transaction_error(node: Node, transaction_hash: Hash32) -> bytes:
    """What a mined transaction reverted with; empty if it did not revert.

    Error -32000 if the transaction is not mined.
    """
    mined = node.chain.receipt(transaction_hash)
    if mined is None:
        raise TransactionNotFound("transaction not found")
    failure = mined[1].failure
    return failure.payload if failure and failure.kind is FailureKind.REVERT else b""


# Accounts


@rpc("ots_searchTransactionsBefore", slow=True, raises=(ExecutionTimedOut,))
def search_transactions_before(
    node: Node, address: Address, block_number: Loose, page_size: Loose
) -> Slices[JsonObject]:
    """The newest transactions that touched an account, below a block number; 0 is no bound.

    These are the transactions that it sent or received, that created it, or in which a contract
    called it, newest first, at most `page_size` (1 to 1000) and the others of the last block.
    `receipts` has their receipts, each with the block's timestamp. `firstPage` and `lastPage` say
    whether there is nothing newer and nothing older. On a fork the blocks since the fork are
    searched. The first search on a long chain makes an index, which later ones use.
    """
    return (yield from _search(node, address, page_size, before=block_number or None))


@rpc("ots_searchTransactionsAfter", slow=True, raises=(ExecutionTimedOut,))
def search_transactions_after(
    node: Node, address: Address, block_number: Loose, page_size: Loose
) -> Slices[JsonObject]:
    """The oldest transactions that touched an account, above a block number; 0 is no bound.

    As `ots_searchTransactionsBefore`, newest first too.
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
    from devchain.node.address_history import Role
    from devchain.rpc.otterscan_objects import history_object

    _check_size(page_size)
    roles = Role.SENDER | Role.RECIPIENT | Role.CREATED | Role.INTERNAL
    page = yield from node.address_history.whole_blocks_in_slices(
        address, before=before, after=after, count=page_size, roles=roles
    )
    return history_object(page)


@rpc("ots_getTransactionBySenderAndNonce", slow=True, raises=(ExecutionTimedOut,))
def get_transaction_by_sender_and_nonce(
    node: Node, address: Address, nonce: Loose
) -> Slices[Hash32 | None]:
    """The hash of the mined transaction that an account sent with that nonce; null if none."""
    receipt = yield from node.address_history.sent_in_slices(address, nonce)
    return receipt.transaction_hash if receipt else None


@rpc("ots_getContractCreator", slow=True, raises=(LimitExceeded, ExecutionTimedOut))
def get_contract_creator(node: Node, address: Address) -> Slices[JsonObject | None]:
    """The transaction that created a contract, and the account or contract that did; null if none.

    `{hash, creator}`. The newest, if there were several. Contracts of the genesis block, of
    cheats and of blocks before a fork have none.
    """
    found = yield from node.address_history.creation_in_slices(address)
    if found is None:
        return None
    tx = found.receipt.transaction
    creator = tx.sender
    if found.receipt.contract_address != address:
        yield SLOW
        creator = _creator(_top_frame(node, tx.hash), address)
    return {"hash": tx.hash, "creator": creator}


def _creator(top: Frame, contract: Address) -> Address:
    frames = [top]
    found = []
    while frames:
        frame = frames.pop()
        if frame.failure is None:
            found += [frame.sender] * (frame.is_creation and frame.to == contract)
            frames += frame.calls  # from the last to the first
    return found[0]
