"""The blocks up to the one that a chain was forked at, read from the upstream when they are needed.

They are the base of a store of blocks, shared by all copies of the chain. A block is
known by number before anything of it is read:

    blocks[120]                 asks for nothing
    blocks[120].hash            the `parentHash` of block 121 if that has been read
    blocks[120].gas_limit       eth_getBlockByNumber, and hash and height of block 119 are known
    blocks[120].receipts        eth_getTransactionReceipt for each transaction, in one batch
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from typing import Any

from eth_hash.auto import keccak

from devchain.chain.block import Block, MinedLog, Receipt
from devchain.chain.storage.block_store import BaseBlocks, log_matches
from devchain.chain.upstream_objects import Members, UpstreamReader, hash32, small_quantity
from devchain.errors import ForkBlockReorganized, UpstreamAnswerInvalid
from devchain.evm.headers import encode_header
from devchain.evm.rules import Rules
from devchain.types import Hash32, LogQuery
from devchain.upstream.fork_cache import MISSING, ForkCache
from devchain.upstream.queries import ForkBlock, UpstreamQuery, data, upstream_query

HASHES, TRANSACTIONS = False, True  # what methods shall answer of a block's transactions
MOST_READ_AHEAD = 64  # blocks read at once when one neighbour after the other is read
CACHED_BLOCKS = 4_096


class UpstreamBlocks(BaseBlocks):
    """The blocks up to the fork block by number: the base of a fork's blocks."""

    def __init__(
        self,
        cache: ForkCache,
        fork: ForkBlock,
        rules: Rules,
        rules_at: Callable[[int], Rules] | None = None,
    ) -> None:
        """`rules_at` gives the rules that the block of a number is replayed under."""
        self._cache = cache
        self._fork = fork
        self._rules = rules
        self._reader = UpstreamReader(rules, rules_at)
        self._read: dict[int, UpstreamBlock] = {}
        self._hashes: dict[int, Hash32] = {}
        self._numbers: dict[Hash32, int] = {}
        self._read_in_a_row = 0
        self._name(fork.number, Hash32(fork.hash))

    def __len__(self) -> int:
        return self._fork.number + 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._at(number) for number in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(index)
        return self._at(number)

    def _at(self, number: int) -> UpstreamBlock:
        block = self._read.get(number)
        if block is None:
            block = self._read[number] = UpstreamBlock(self, number)
            if len(self._read) > CACHED_BLOCKS:
                del self._read[next(iter(self._read))]
        return block

    # Blocks

    def load(self, numbers: Iterable[int]) -> None:
        """Have those blocks, of which some may not be upstream's, known in one batch."""
        self._cache.need([block_query(number) for number in numbers if number < len(self)])

    def read(self, number: int) -> Block:
        if not self.is_known(number):
            self._need_with_next(number)
        block = self._reader.block(self._cache.get(block_query(number)), number)
        self._name(number, block.hash)
        if number:
            self._name(number - 1, block.parent_hash)
        return block

    def _need_with_next(self, number: int) -> None:
        # BLOCKHASH and the BlockHeader contract go from block to block, REMASC has one for each
        # block mined: the fourth in a row is read with 7 others.
        steps = (-1, 1, -2, 2)  # every other block has the hashes of all
        step = next((step for step in steps if self.is_known(number - step)), 0)
        if not step:
            self._read_in_a_row = 0
        count = min(2**self._read_in_a_row, MOST_READ_AHEAD)
        self._read_in_a_row += 1
        numbers = [number + step * index for index in range(count)]
        self._cache.need([block_query(number) for number in numbers if 0 <= number < len(self)])

    def is_known(self, number: int) -> bool:
        return self._cache.find(block_query(number)) is not MISSING

    def _name(self, number: int, block_hash: Hash32) -> None:
        known = self._hashes.setdefault(number, block_hash)
        if known != block_hash:
            raise ForkBlockReorganized(
                f"block {number} of the upstream has the hash 0x{block_hash.hex()}, but "
                f"0x{known.hex()} leads to the fork block: the upstream has reorganised its chain "
                "or answers for another one",
                number=number,
                expected=known,
                found=block_hash,
            )
        self._numbers[block_hash] = number

    def hash_of(self, number: int) -> Hash32:
        return self._hashes.get(number) or self.read(number).hash

    def find(self, block_hash: Hash32) -> Block | None:
        number = self._numbers.get(block_hash)
        if number is None:
            answer = self._cache.get(upstream_query("eth_getBlockByHash", _hex(block_hash), HASHES))
            if answer is None:
                return None
            number = Members(answer, f"block {_hex(block_hash)}").read("number", small_quantity)
            # Nodes also know blocks that are not part of their chain.
            if number >= len(self) or self.hash_of(number) != block_hash:
                return None
        return self._at(number)

    def raw_header(self, block: Block) -> bytes:
        is_rootstock = self._rules.has_merged_mining
        method = "rsk_getRawBlockHeaderByHash" if is_rootstock else "debug_getRawHeader"
        wanted = upstream_query(method, _hex(block.hash))
        raw = Members({"header": self._cache.get(wanted)}, f"block {block.number}").read(
            "header", data
        )
        if keccak(raw) != block.hash:
            raise UpstreamAnswerInvalid(
                f"the upstream's answer for the header of block {block.number} is wrong: its hash "
                f"is not {_hex(block.hash)}"
            )
        return raw

    def raw_block(self, block: Block) -> bytes:
        """The bytes of a whole block, if the upstream has geth's method for it."""
        wanted = upstream_query("debug_getRawBlock", _hex(block.hash))
        return Members({"raw": self._cache.get(wanted)}, f"block {block.number}").read("raw", data)

    def uncle(self, block: Block, index: int) -> Block | None:
        if not 0 <= index < len(block.uncles):
            return None
        query = upstream_query("eth_getUncleByBlockHashAndIndex", _hex(block.hash), hex(index))
        return self._reader.uncle(self._cache.get(query), block.uncles[index])

    # Transactions and receipts

    def receipt(self, transaction_hash: Hash32) -> tuple[Block, Receipt] | None:
        receipt_query = _receipt_query(transaction_hash)
        transaction_query = upstream_query("eth_getTransactionByHash", _hex(transaction_hash))
        self._cache.need([receipt_query, transaction_query])
        answer = self._cache.get(receipt_query)
        if answer is None:
            return None
        members = Members(answer, f"the receipt of {_hex(transaction_hash)}")
        number = members.read("blockNumber", small_quantity)
        if number >= len(self):
            return None
        tx = self._reader.transaction(self._cache.get(transaction_query), transaction_hash, number)
        self._name(number, Hash32(members.read("blockHash", hash32)))
        block = self._at(number)
        block.note_timestamp((tx.answered or {}).get("blockTimestamp"))
        return block, self._reader.receipt(answer, tx)

    def receipts_of(self, block: Block) -> tuple[Receipt, ...]:
        queries = [_receipt_query(tx.hash) for tx in block.transactions]
        self._cache.need(queries)
        receipts = []
        for index, (query, tx) in enumerate(zip(queries, block.transactions, strict=True)):
            answer = self._cache.get(query)
            receipt = self._reader.receipt(answer, tx)
            block_hash = Hash32(Members(answer, "").read("blockHash", hash32))
            if (receipt.index, block_hash) != (index, block.hash):
                raise UpstreamAnswerInvalid(
                    f"the upstream's answer for the receipt of {_hex(tx.hash)} is wrong: it is of "
                    f"transaction {receipt.index} of block {_hex(block_hash)}, not of {index} of "
                    f"{_hex(block.hash)}"
                )
            receipts.append(receipt)
        return tuple(receipts)

    def search(self, query: LogQuery) -> Iterator[MinedLog]:
        """The logs that match, in order; the query's bounds are numbers."""
        first, last = int(query.from_block), min(int(query.to_block), self._fork.number)  # type: ignore[arg-type]
        if first > last:
            return
        answers = self._cache.get(upstream_query("eth_getLogs", _filter(query, first, last)))
        newest = (first, -1)
        for answer in answers:
            placed = self._reader.log(answer, f"a log of blocks {first} to {last}")
            place = (placed.block_number, placed.index)
            if not newest < place < (last + 1, 0):
                raise UpstreamAnswerInvalid(
                    f"the upstream's answer for the logs of blocks {first} to {last} is wrong: log "
                    f"{placed.index} of block {placed.block_number} is not in order"
                )
            newest = place
            self._name(placed.block_number, placed.block_hash)
            if log_matches(placed.log, query):
                block = self._at(placed.block_number)
                block.note_timestamp(placed.block_timestamp)
                transaction = placed.transaction_hash, placed.transaction_index
                yield MinedLog(placed.log, block, *transaction, placed.index)


class UpstreamBlock(Block):
    """A block of the upstream chain: its fields are read when one of them is first used."""

    __slots__ = ("_noted_timestamp", "_number", "_source")

    def __init__(self, source: UpstreamBlocks, number: int) -> None:
        self.note_timestamp(None)
        object.__setattr__(self, "_source", source)
        object.__setattr__(self, "_number", number)
        object.__setattr__(self, "sealed", True)
        object.__setattr__(self, "state", None)

    @property
    def number(self) -> int:
        return self._number  # type: ignore[no-any-return]

    @property
    def log_timestamp(self) -> int | None:
        """As of the block, or what the upstream said with a log: it is not asked for."""
        is_known = self._source.is_known(self._number)
        return super().log_timestamp if is_known else self._noted_timestamp

    def note_timestamp(self, timestamp: int | None) -> None:
        """Note the timestamp that a log or a transaction of the block has upstream."""
        object.__setattr__(self, "_noted_timestamp", timestamp)

    @property
    def raw_header(self) -> bytes:
        """RLP of the header; of one in another form than those here as the upstream gives it."""
        raw = encode_header(self.header)
        return raw if keccak(raw) == self.hash else self._source.raw_header(self)

    @property
    def raw(self) -> bytes:
        return self._source.raw_block(self)  # type: ignore[no-any-return]

    def uncle(self, index: int) -> Block | None:
        return self._source.uncle(self, index)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        if name == "hash":
            values = {name: self._source.hash_of(self._number)}
        elif name == "receipts":
            values = {name: self._source.receipts_of(self)}
        elif name in _READ_WITH_BLOCK:
            read = self._source.read(self._number)
            values = {field: getattr(read, field) for field in _READ_WITH_BLOCK}
        else:
            raise AttributeError(name)
        for field, value in values.items():
            object.__setattr__(self, field, value)
        return values[name]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UpstreamBlock) and other.hash == self.hash

    def __hash__(self) -> int:
        return hash(self.hash)


_READ_WITH_BLOCK = frozenset(field.name for field in fields(Block)) - {
    "hash",
    "receipts",
    "sealed",
    "state",
}


def _hex(value: bytes) -> str:
    return f"0x{value.hex()}"


def block_query(number: int) -> UpstreamQuery:
    return upstream_query("eth_getBlockByNumber", hex(number), TRANSACTIONS)


def _receipt_query(transaction_hash: Hash32) -> UpstreamQuery:
    return upstream_query("eth_getTransactionReceipt", _hex(transaction_hash))


def _filter(query: LogQuery, first: int, last: int) -> dict[str, Any]:
    topics: list[Any] = [
        None if options is None else _alternatives(options) for options in query.topics
    ]
    while topics and topics[-1] is None:
        topics.pop()
    members: dict[str, Any] = {"fromBlock": hex(first), "toBlock": hex(last)}
    if query.addresses:
        members["address"] = _alternatives(query.addresses)
    if topics:
        members["topics"] = topics
    return members


def _alternatives(options: Iterable[bytes]) -> str | list[str]:
    shown = sorted(map(_hex, options))
    return shown[0] if len(shown) == 1 else shown
