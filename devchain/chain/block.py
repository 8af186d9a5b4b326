"""Blocks, receipts and logs as frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import rlp

from devchain.chain.merged_mining import MergedMining
from devchain.chain.transaction import Transaction
from devchain.evm.rootstock.header import RootstockHeader
from devchain.types import Address, Hash32

PROTOCOL_BLOOM_BITS = 2048


@dataclass(frozen=True, slots=True)
class Log:
    """What a contract emitted; `topics` are 0 to 4 words."""

    address: Address
    topics: tuple[Hash32, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a mined transaction did.

    `failure` says why it failed, in words, and is None when it succeeded; `first_log_index`
    is the position of its first log in the block; `gas_price` is what a unit of gas cost its
    sender and `fee` what all of it did, in wei; `root` is the state root after it, under rules
    that have no status yet.
    """

    transaction: Transaction
    index: int
    succeeded: bool
    gas_used: int
    cumulative_gas_used: int
    logs: tuple[Log, ...]
    first_log_index: int
    bloom: int
    contract_address: Address | None
    gas_price: int = 0
    fee: int = 0
    failure: str | None = None
    payload: bytes = b""
    root: Hash32 | None = None


@dataclass(frozen=True)
class Block:
    """A block with its transactions and receipts.

    `packed` is py-evm's block, `sealed` is false for the pending block; `merged_mining` is the
    bitcoin block behind a Rootstock block.
    """

    number: int
    hash: Hash32
    parent_hash: Hash32
    timestamp: int
    state_root: Hash32
    bloom: int
    gas_limit: int
    gas_used: int
    total_difficulty: int
    transactions: tuple[Transaction, ...]
    receipts: tuple[Receipt, ...]
    packed: Any = field(repr=False, compare=False)
    sealed: bool = True
    merged_mining: MergedMining | None = None

    @property
    def header(self) -> Any:
        """py-evm's header object of this block."""
        return self.packed.header

    @property
    def is_rootstock(self) -> bool:
        """Whether it has a Rootstock header rather than an Ethereum one."""
        return isinstance(self.header, RootstockHeader)

    @cached_property
    def size(self) -> int:
        """Bytes of its RLP encoding."""
        return len(rlp.encode(self.packed))

    @cached_property
    def raw_header(self) -> bytes:
        """RLP of the header; its keccak-256 is the block's hash."""
        return bytes(rlp.encode(self.header))


@dataclass(frozen=True, slots=True)
class MinedLog:
    """A log with the place it was mined at."""

    log: Log
    block: Block
    receipt: Receipt
    index: int
    removed: bool = False
