"""Blocks, receipts and logs as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from devchain.chain.merged_mining import MergedMining, own_proof
from devchain.chain.transaction import Transaction
from devchain.evm.failures import Failure
from devchain.evm.headers import encode_header, header_fields
from devchain.state.rlp import wrap
from devchain.state.state_database import RetainedState
from devchain.text import moment, plural, preformatted
from devchain.types import Address, Hash32

NOTHING = wrap(b"")


@dataclass(frozen=True, slots=True)
class Log:
    """A log of a contract; `topics` are 0 to 4 words."""

    address: Address
    topics: tuple[Hash32, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of a mined transaction.

    `failure` is None when it succeeded; `first_log_index` is the index of its first log in the
    block; `gas_price` is the effective gas price and `fee` all that its sender paid for gas, in
    wei; `root` is the state root after it, before Byzantium; `printed` is the call data of its
    calls to `console.log`. `answered` is what the upstream of a fork says beyond that, by JSON-RPC
    member; None for what was mined here.
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
    failure: Failure | None = None
    root: Hash32 | None = None
    printed: tuple[bytes, ...] = ()
    answered: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Block:
    """A block with its transactions and receipts.

    `header` is py-evm's or Rootstock's, `sealed` is false for the pending block. `proof` is the
    merged-mining proof of an outside miner; that of the node's own blocks is computed on demand.
    `state` keeps the state after it in memory. `answered` is as a `Receipt` has it.
    """

    header: Any = field(repr=False)
    hash: Hash32
    total_difficulty: int
    transactions: tuple[Transaction, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    sealed: bool = True
    proof: MergedMining | None = None
    state: RetainedState | None = field(default=None, repr=False, compare=False)
    answered: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)

    def _repr_html_(self) -> str:
        count = plural(len(self.transactions), "transaction")
        head = f"block {self.number} of {moment(self.timestamp)}, {count}, {self.gas_used:,} gas"
        hashes = [f"0x{tx.hash.hex()}" for tx in self.transactions]
        return preformatted("\n  ".join([f"{head}, 0x{self.hash.hex()}", *hashes]))

    @property
    def number(self) -> int:
        return int(self.header.block_number)

    @property
    def parent_hash(self) -> Hash32:
        return Hash32(self.header.parent_hash)

    @property
    def timestamp(self) -> int:
        return int(self.header.timestamp)

    @property
    def log_timestamp(self) -> int | None:
        """The timestamp that its logs have on Ethereum; None if they have none."""
        return None if self.has_merged_mining else self.timestamp

    @property
    def state_root(self) -> Hash32:
        return Hash32(self.header.state_root)

    @property
    def bloom(self) -> int:
        return int(self.header.bloom)

    @property
    def gas_limit(self) -> int:
        return int(self.header.gas_limit)

    @property
    def gas_used(self) -> int:
        return int(self.header.gas_used)

    @property
    def uncles(self) -> tuple[Hash32, ...]:
        return tuple(self.answered.get("uncles") or ()) if self.answered else ()

    def uncle(self, index: int) -> Block | None:  # noqa: ARG002  # a block before a fork has some
        return None

    @property
    def difficulty_with_uncles(self) -> int:
        answered = self.answered or {}
        return int(answered.get("cumulativeDifficulty") or self.header.difficulty)

    @property
    def has_merged_mining(self) -> bool:
        return "bitcoin_merged_mining_header" in header_fields(self.header)

    @property
    def merged_mining(self) -> MergedMining | None:
        bitcoin_header = getattr(self.header, "bitcoin_merged_mining_header", b"")
        if self.proof is not None or not bitcoin_header:
            return self.proof
        return own_proof(bitcoin_header, self.header.hash_for_merged_mining, self.number)

    @property
    def raw_header(self) -> bytes:
        """RLP of the header; its keccak-256 is the block's hash."""
        return encode_header(self.header)

    @property
    def raw(self) -> bytes:
        """Its RLP: header, transactions, no uncles, and since Shanghai no withdrawals."""
        transactions = wrap(b"".join(tx.in_block for tx in self.transactions))
        lists = 2 if "withdrawals_root" in header_fields(self.header) else 1
        return wrap(self.raw_header + transactions + lists * NOTHING)

    @property
    def size(self) -> int:
        if self.answered is not None:
            return self.answered.get("size") or 0  # not every node says
        return len(self.raw)


@dataclass(frozen=True, slots=True)
class MinedLog:
    """A log with its block, its transaction, and its index in the block."""

    log: Log
    block: Block
    transaction_hash: Hash32
    transaction_index: int
    index: int
    removed: bool = False


def mined_logs(block: Block, receipt: Receipt) -> list[MinedLog]:
    transaction_hash = receipt.transaction.hash
    return [
        MinedLog(log, block, transaction_hash, receipt.index, index)
        for index, log in enumerate(receipt.logs, receipt.first_log_index)
    ]
