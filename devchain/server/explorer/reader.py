"""What pages read of a node: accounts with names, transactions and blocks as views."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import TypeVar

from devchain.chain.block import Block, Log, MinedLog, Receipt
from devchain.chain.chain import Chain
from devchain.chain.slices import QUICK, SLOW, Slices
from devchain.chain.storage.address_index import AddressIndex
from devchain.chain.storage.sqlite_file import SqliteMemory
from devchain.chain.transaction import Transaction
from devchain.client.views import AccountView, BlockView, LogView, Notation, TransactionView
from devchain.contracts.names import Names
from devchain.contracts.standard_abis import standard_entries
from devchain.errors import NotFound, TransactionNotFound
from devchain.node import Node
from devchain.node.address_history import Position, logged_transfers
from devchain.node.contract_storage import implementations
from devchain.node.tokens import read_token, unknown_token
from devchain.rpc.result_objects import log_object, transaction_object
from devchain.server.explorer.page import Query
from devchain.server.node_views import block_view, mined_view
from devchain.tracing.frames import Frame
from devchain.types import (
    WORD_SIZE,
    Address,
    BlockRef,
    Hash32,
    LogQuery,
    Tag,
    Transfer,
)

MAX_SEARCHED_BLOCKS = 1_000  # for transactions of a page: most are empty in a long chain
MAX_INDEXED = 2_000  # blocks that a list of transactions may wait for
MAX_SCANNED_BLOCKS = 100  # before the index is asked, which is brought up to date by replays
MAX_PARTS = 100  # of the index, of about a page each, that are searched for some transactions
MAX_PROXIES = 200  # contracts that are asked whether they delegate
ADD_ARTIFACTS = "--artifacts PATH names the compiled project when the node is started"

UNLABELLED = re.compile(r"\b0x[0-9a-fA-F]{40}\b(?! \()")

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class TransferView:
    """A transfer of a token, or of the coin, in words; the zero address mints and burns.

    `tx` is its transaction, of one of the index.
    """

    token: AccountView | None
    sender: AccountView
    recipient: AccountView
    amount: str
    tx: TransactionView | None = None


class Reader:
    """Reads what a page shows; for one request, whose `query` it has."""

    def __init__(self, node: Node, query: Query) -> None:
        self.node = node
        self.query = query
        self.now = node.clock.now()
        self.token = cache(partial(read_token, node))
        """The token that a contract behaves as, after a block; None of any other account."""

    @property
    def chain(self) -> Chain:
        return self.node.chain

    @cached_property
    def names(self) -> Names:
        names = self.node.explainer.names()
        return replace(names, address_text=lambda each: self.labelled(names.address_text(each)))

    def labelled(self, text: str) -> str:
        """A text with `(account 3)` behind the addresses of the node's accounts."""

        def label(found: re.Match[str]) -> str:
            index = self.own_accounts.get(address_of(found[0]))
            return found[0] if index is None else f"{found[0]} (account {index})"

        return UNLABELLED.sub(label, text)

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

    def balance_of(self, address: Address, block: BlockRef | None = None) -> AccountView:
        state = self.chain.state_at(Tag.LATEST if block is None else block)
        balance, nonce = state.balance(address), state.nonce(address)
        return replace(self.account(address), balance=balance, nonce=nonce)

    # Views

    def pending(self, tx: Transaction) -> TransactionView:
        called = self.names.known_call(tx.to, tx.data)
        return TransactionView.of(transaction_object(tx), None, self.notation, called)

    def mined(self, block: Block, receipt: Receipt) -> TransactionView:
        tx, failure = receipt.transaction, self.node.explainer.failure_text(receipt)
        failure = failure and self.labelled(failure)
        called = self.names.known_call(tx.to, tx.data)
        return mined_view(block, receipt, self.notation, called, failure)

    def mined_at(self, position: Position) -> TransactionView:
        block = self.chain.block(position[0])
        return self.mined(block, block.receipts[position[1]])

    def block(self, block: Block) -> tuple[BlockView, int, bool]:
        """A block in a list, how many transactions failed, and if it is upstream's."""
        is_upstream = self.is_upstream(block.number)
        # Before a fork each receipt is a request.
        failed = 0 if is_upstream else sum(not receipt.succeeded for receipt in block.receipts)
        return block_view(block, self.notation), failed, is_upstream

    def log(self, mined: MinedLog) -> LogView:
        log = mined.log
        event = self.names.decoded_event(log.address, log.topics, log.data)
        values = self.names.values(event.entry.inputs, event.arguments) if event else ()
        text = self.names.text(event) if event else None
        return LogView.of(log_object(mined), self.notation, text, values)

    def signatures(self, selector: bytes) -> list[str]:
        """Functions and errors with a selector, from artifacts, else from standards."""
        precompiled = map(self.names.artifact, self.chain.rules.precompiled_abis())
        abis = [each.abi for each in (*self.node.artifacts, *filter(None, precompiled))]
        entries = [abi.functions.get(selector) or abi.errors.get(selector) for abi in abis]
        known = [each for each in entries if each] or standard_entries().get(selector, ())
        return list(dict.fromkeys(each.signature for each in known))

    def index(self, most: int | None = None) -> Slices[AddressIndex]:
        """The address index, which replays what it lacks; empty if that is more, or if hosted."""
        history = self.node.address_history
        if self.node.config.hosted or (most is not None and history.missing > most):
            return AddressIndex(SqliteMemory())
        return (yield from history.update_in_slices())

    def known_contracts(self, count: int) -> Slices[list[Address]]:
        """Contracts that transactions created, the newest first, and those that artifacts name.

        A fork lists contracts that its transactions called, too.
        """
        node, code = self.node, self.chain.state_at(Tag.LATEST).code
        found: list[Address] = []
        if node.config.hosted:
            chain = self.chain
            for number in range(chain.height, max(chain.height - MAX_SEARCHED_BLOCKS, 0), -1):
                receipts = reversed(chain.block(number).receipts)
                found += [made for each in receipts if (made := each.contract_address)]
        index = yield from self.index()
        found += [contract.address for contract in index.contracts(count)]
        found += index.called(count) if node.fork else []
        found += node.artifacts.deployed()
        return [each for each in dict.fromkeys(found[: 2 * count]) if code(each)][:count]

    def logs_of(self, address: Address, blocks: int, count: int) -> list[MinedLog]:
        """The newest logs of a contract in so many blocks, on a fork of its own, in order."""
        chain = self.chain
        first = max(chain.first + (self.node.fork is not None), chain.height - blocks + 1)
        query = LogQuery(first, chain.height, addresses=frozenset({address}))
        return list(chain.logs(query))[-count:] if first <= chain.height else []

    def proxies(self) -> Slices[dict[Address, list[AccountView]]]:
        """The newest known contracts that run the code of others, by these."""
        known = yield from self.known_contracts(MAX_PROXIES)
        found: dict[Address, list[AccountView]] = {}
        for address in known:
            yield QUICK
            for runs in implementations(self.node, address):
                found.setdefault(runs, []).append(self.account(address))
        return found

    def transfers(self, logs: Iterable[Log]) -> Iterator[TransferView]:
        return map(self.transfer, logged_transfers(logs))

    def transfer(self, moved: Transfer) -> TransferView:
        parties = self.account(moved.sender), self.account(moved.recipient)
        if moved.token is None:
            return TransferView(None, *parties, self.notation.amount(moved.amount))
        token = self.token(moved.token) or unknown_token(moved.token, moved.token_id)
        party = self.account(moved.token)
        party = replace(party, name=party.name or token.name)
        return TransferView(party, *parties, token.amount(moved.amount, moved.token_id))

    def indexed(self, transfers: Sequence[Transfer]) -> list[TransferView]:
        """Transfers of the index, with their transactions."""
        return [replace(self.transfer(each), tx=self.mined_at(each.position)) for each in transfers]

    def frame_transfers(self, top: Frame) -> Iterator[TransferView]:
        """What a call that was simulated moves of tokens."""
        frames = [] if top.failure else top.walk(succeeded=True)
        return self.transfers(log for frame in frames for log in frame.logs)

    def newest_transactions(
        self, before: Position, count: int, wanted: Callable[[Receipt], bool] = lambda _: True
    ) -> Slices[tuple[list[tuple[Block, Receipt]], Position | None]]:
        """Mined transactions before a position, newest first, and where a search for more begins.

        The newest blocks are searched, then the index, without which a hosted node does.
        """
        node, chain = self.node, self.chain
        first = chain.first + (node.fork is not None)
        number = newest = min(before[0], chain.height)
        found: list[tuple[Block, Receipt]] = []
        searched = MAX_SEARCHED_BLOCKS if node.config.hosted else MAX_SCANNED_BLOCKS
        while len(found) <= count and number >= max(first, newest - searched + 1):
            block = chain.block(number)
            found += [
                (block, receipt)
                for receipt in reversed(block.receipts)
                if (number, receipt.index) < before and wanted(receipt)
            ]
            number -= 1
        rest = (number + 1, 0) if number >= first else None
        if len(found) <= count and rest and not node.config.hosted:
            index = yield from self.index()
            for _ in range(MAX_PARTS):
                asked = count + 1 - len(found)
                positions = index.transactions(rest, asked)
                for number, place in positions:
                    block = chain.block(number)
                    if wanted(block.receipts[place]):
                        found.append((block, block.receipts[place]))
                rest = positions[-1] if len(positions) == asked else None
                if rest is None or len(found) > count:
                    break
                yield SLOW
        if len(found) > count:
            block, receipt = found[count - 1]
            rest = block.number, receipt.index
        return found[:count], rest

    def rows(self, mined: Sequence[tuple[Block, Receipt]]) -> Slices[list[TransactionView]]:
        """Transactions in a list, with the number of their inner transfers if it is known soon."""
        index = yield from self.index(MAX_INDEXED)
        inner = index.coin_transfers([(block.number, tx.index) for block, tx in mined])
        return [
            replace(self.mined(block, tx), inner_transfers=inner.get((block.number, tx.index), 0))
            for block, tx in mined
        ]

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
