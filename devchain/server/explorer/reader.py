"""What pages read of a node: accounts with names, transactions and blocks as views."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, cached_property
from typing import TypeVar

from devchain.chain.block import Block, MinedLog, Receipt
from devchain.chain.chain import Chain
from devchain.chain.transaction import Transaction
from devchain.client.views import AccountView, BlockView, LogView, Notation, TransactionView
from devchain.contracts.names import Names
from devchain.errors import NotFound, TransactionNotFound
from devchain.node import Node
from devchain.rpc.result_objects import log_object, transaction_object
from devchain.server.explorer.page import Query
from devchain.server.node_views import block_view, mined_view
from devchain.types import WORD_SIZE, Address, Hash32, Tag

HOW_TO_ADD_ARTIFACTS = "--artifacts PATH names the compiled project when the node is started"

Result = TypeVar("Result")


class Reader:
    """Reads what a page shows; for one request, whose `query` it has."""

    def __init__(self, node: Node, query: Query) -> None:
        self.node = node
        self.query = query
        self.now = node.clock.now()

    @property
    def chain(self) -> Chain:
        return self.node.chain

    @cached_property
    def names(self) -> Names:
        return self.node.explainer.names()

    @cached_property
    def notation(self) -> Notation:
        """How addresses and amounts are written, and names of contracts and own accounts."""
        config = self.node.config
        return Notation(config.effective_chain_id, config.checksum_addresses, cache(self._name_of))

    def _name_of(self, address: str) -> str:
        key = Address(bytes.fromhex(address[2:]))
        if self.node.artifacts.may_know(key) and (name := self.names.contract(key)):
            return name
        index = self.own_accounts.get(key)
        return "" if index is None else f"account {index}"

    @cached_property
    def own_accounts(self) -> dict[Address, int]:
        """The node's accounts, each with its number in `eth_accounts`."""
        if self.node.config.hosted:
            return {}
        return {address: index for index, address in enumerate(self.node.accounts.addresses())}

    def is_upstream(self, number: int) -> bool:
        return self.node.fork is not None and number <= self.chain.first

    def account(self, address: bytes) -> AccountView:
        """An account with the name of its contract, or its number among the node's accounts."""
        return self.notation.account(address)

    def balance_of(self, address: Address) -> AccountView:
        state = self.chain.state_at(Tag.LATEST)
        balance, nonce = state.balance(address), state.nonce(address)
        return replace(self.account(address), balance=balance, nonce=nonce)

    # Views

    def pending(self, tx: Transaction) -> TransactionView:
        called = self.names.known_call(tx.to, tx.data)
        return TransactionView.of(transaction_object(tx), None, self.notation, called)

    def mined(self, block: Block, receipt: Receipt) -> TransactionView:
        tx, failure = receipt.transaction, self.node.explainer.failure_text(receipt)
        called = self.names.known_call(tx.to, tx.data)
        return mined_view(block, receipt, self.notation, called, failure)

    def block(self, block: Block) -> tuple[BlockView, int, bool]:
        """A block in a list, how many transactions failed, and if it is upstream's."""
        is_upstream = self.is_upstream(block.number)
        # Before a fork each receipt is a request.
        failed = 0 if is_upstream else sum(not receipt.succeeded for receipt in block.receipts)
        return block_view(block, self.notation), failed, is_upstream

    def log(self, mined: MinedLog) -> LogView:
        log = mined.log
        event = self.names.event(log.address, log.topics, log.data)
        return LogView.of(log_object(mined), self.notation, event)

    # What a path names

    def find_transaction(self, text: str) -> tuple[Transaction, tuple[Block, Receipt] | None]:
        """A transaction of the chain or the mempool; raises `TransactionNotFound`."""
        key = Hash32(bytes_of(text))
        if len(key) != WORD_SIZE:
            raise TransactionNotFound("the hash of a transaction is 0x and 64 hex digits")
        if mined := self.chain.receipt(key):
            return mined[1].transaction, mined
        waiting = self.node.mempool.find(key)
        if waiting is None:
            raise TransactionNotFound(
                f"there is no transaction {hex_of(key)}: it was never sent, or a revert has "
                "removed it"
            )
        return waiting, None

    def find_mined(self, text: str) -> tuple[TransactionView, Receipt]:
        _, mined = self.find_transaction(text)
        if mined is None:
            raise TransactionNotFound("the transaction is not mined yet: mine a block")
        return self.mined(*mined), mined[1]


def hex_of(value: bytes) -> str:
    return f"0x{value.hex()}"


def bytes_of(text: str) -> bytes:
    try:
        return bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        return b""


def address_of(text: str) -> Address:
    address = bytes_of(text)
    if len(address) != 20:
        raise NotFound("an address is 0x and 40 hex digits")
    return Address(address)


def still_mined(result: Result | None) -> Result:
    """What a replay of a mined transaction gave; raises `TransactionNotFound` for none."""
    if result is None:
        raise TransactionNotFound("a revert has removed this transaction")
    return result
