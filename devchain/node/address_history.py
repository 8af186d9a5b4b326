"""Address history: the transactions that touched an account, page by page, newest first.

The index is brought up to date whenever it is asked, by the hashes of blocks: those that are not on
the chain any more are removed, new ones are added, which replays those that run code.

    chain     0 1 2 3 4'5'6'     after a revert to 3 and three other blocks
    indexed   0 1 2 3 4 5        3 is the newest with the same hash: 4 and 5 go, 4' to 6' come
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from devchain.chain.block import Block, Log, Receipt
from devchain.chain.chain import Chain
from devchain.chain.remasc import is_closing
from devchain.chain.slices import SLOW, Slices, finish
from devchain.chain.storage.address_index import (
    ANY_ROLE,
    MAX_INDEX,
    AddressIndex,
    IndexedTransaction,
    Position,
    Role,
)
from devchain.chain.storage.sqlite_file import SqliteFile, SqliteMemory
from devchain.contracts.token_transfers import token_transfers
from devchain.evm import deadline
from devchain.tracing.address_recorder import AddressRecorder, InternalAddresses
from devchain.types import Address, Transfer, address_of

__all__ = ["ANY_ROLE", "AddressHistory", "Appearance", "HistoryPage", "Position", "Role"]

SECONDS_PER_SLICE = 0.01  # before others are served; one block is added at least


@dataclass(frozen=True, slots=True)
class Appearance:
    """A transaction that touched an account, and what the account had to do with it."""

    block: Block
    receipt: Receipt
    roles: Role

    @property
    def position(self) -> Position:
        return self.block.number, self.receipt.index


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Some transactions of an account, newest first.

    `older` is the `before` of the page after this one, None if there is none, `newer` the `after`
    of the page before it. On a fork only the blocks from `first_block` on are searched.
    """

    appearances: tuple[Appearance, ...]
    older: Position | None
    newer: Position | None
    first_block: int
    is_complete: bool


class AddressHistory:
    """The history of every account of a chain, `node.address_history`.

    The first call on a long chain takes as long as replaying it; the methods `…_in_slices` serve
    others meanwhile. A block that takes more CPU time than `seconds` raises `ExecutionTimedOut`.
    """

    def __init__(self, chain: Chain, file: SqliteFile | None = None, *, seconds: float = 0) -> None:
        self._chain = chain
        self._file = file
        self._seconds = seconds
        self._recorder = AddressRecorder()
        self._indexed_version: int | None = None

    @cached_property
    def _index(self) -> AddressIndex:
        return AddressIndex(self._file or SqliteMemory())

    # Reading

    def page(
        self,
        address: object,
        *,
        before: Position | None = None,
        after: Position | None = None,
        count: int = 25,
        roles: Role = ANY_ROLE,
    ) -> HistoryPage:
        """The newest `count` transactions of an account, or those next to a position.

        `before` gives the newest that are older than that position, `after` the oldest that are
        newer; neither position has to exist. With `roles` only those with one of these roles.
        """
        return finish(
            self.page_in_slices(
                address_of(address), before=before, after=after, count=count, roles=roles
            )
        )

    def page_in_slices(  # noqa: PLR0913  # the conditions of a search
        self,
        address: Address,
        *,
        before: Position | None = None,
        after: Position | None = None,
        count: int = 25,
        roles: Role = ANY_ROLE,
        whole_blocks: bool = False,
    ) -> Slices[HistoryPage]:
        """As `page`; with `whole_blocks` it has the rest of the block at its end, too."""
        index = yield from self.update_in_slices()
        entries = index.search(address, before=before, after=after, count=count, roles=roles)
        if whole_blocks and entries:
            (number, _), _ = entries[-1 if after is None else 0]
            low, high = (after, (number + 1, 0)) if after else ((number - 1, MAX_INDEX), before)
            entries = index.search(address, before=high, after=low, count=MAX_INDEX, roles=roles)
        oldest = entries[-1][0] if entries else after and (after[0], after[1] + 1)
        newest = entries[0][0] if entries else before and (before[0], before[1] - 1)
        has_older = oldest and index.search(address, before=oldest, count=1, roles=roles)
        has_newer = newest and index.search(address, after=newest, count=1, roles=roles)
        return HistoryPage(
            tuple(self._appearance(position, its_roles) for position, its_roles in entries),
            older=oldest if has_older else None,
            newer=newest if has_newer else None,
            first_block=self._chain.first + 1,
            is_complete=self._chain.fork is None,
        )

    def sent_in_slices(self, sender: Address, nonce: int) -> Slices[Receipt | None]:
        """The receipt of the newest transaction that an account sent with that nonce."""
        index = yield from self.update_in_slices()
        for position in index.sent(sender, nonce):
            receipt = self._appearance(position, Role.SENDER).receipt
            if receipt.transaction.nonce == nonce:
                return receipt
        return None

    def _appearance(self, position: Position, roles: Role) -> Appearance:
        number, place = position
        block = self._chain.block(number)
        return Appearance(block, block.receipts[place], roles)

    # Following the chain

    @property
    def missing(self) -> int:
        """How many blocks are not in the index yet."""
        return self._chain.height - (self._index.height or self._chain.first)

    def update_in_slices(self) -> Slices[AddressIndex]:
        """Bring the index up to date with the chain; others may change the chain between slices."""
        index = self._index
        while True:
            if self._indexed_version == self._chain.version:
                return index
            version = self._chain.version
            with index.tables.atomic():
                next_number = self._drop_removed(index) + 1
                ends = time.monotonic() + SECONDS_PER_SLICE
                while next_number <= self._chain.height:
                    self._add(index, self._chain.block(next_number))
                    next_number += 1
                    if time.monotonic() >= ends:
                        break
            if next_number > self._chain.height:
                self._indexed_version = version
                return index
            yield SLOW

    def _drop_removed(self, index: AddressIndex) -> int:
        # Remove what is indexed of blocks that are not on the chain any more; the newest that is.
        height, lowest = index.height, self._chain.first
        if height is None:
            return lowest
        newest = min(height, self._chain.height)
        while newest > lowest and index.hash(newest) != self._chain.block(newest).hash:
            newest -= 1
        newest = max(newest, lowest)
        if newest < height:
            index.truncate(newest)
        return newest

    def _add(self, index: AddressIndex, block: Block) -> None:
        with deadline.within(self._seconds, time.thread_time):
            internal = self._recorder.record_block(self._chain, block)
        transactions = [
            _indexed(receipt, addresses)
            for receipt, addresses in zip(block.receipts, internal, strict=True)
        ]
        index.append(block.number, block.hash, transactions)


def logged_transfers(logs: Iterable[Log]) -> Iterator[Transfer]:
    for log in logs:
        yield from token_transfers(log.address, log.topics, log.data)


def _indexed(receipt: Receipt, internal: InternalAddresses) -> IndexedTransaction:
    tx = receipt.transaction
    roles: dict[Address, Role] = {tx.sender: Role.SENDER}
    contracts = dict(internal.created)
    transfers = [*internal.transfers, *logged_transfers(receipt.logs)]

    def add(address: Address, role: Role) -> None:
        roles[address] = roles.get(address, ANY_ROLE) | role

    if tx.to is not None:
        add(tx.to, Role.RECIPIENT)
    elif receipt.contract_address is not None and receipt.succeeded:
        add(receipt.contract_address, Role.CREATED)
        contracts[receipt.contract_address] = tx.sender
    for touched in internal.touched:
        add(touched, Role.INTERNAL)
    for created, _ in internal.created:
        add(created, Role.CREATED)
    for transfer in transfers:
        for party in (transfer.sender, transfer.recipient):
            add(party, Role.TOKENS if transfer.token else Role.COINS)
    nonce = None if is_closing(tx) else tx.nonce
    return IndexedTransaction(roles, nonce, contracts, transfers)
