"""The values that cross rooms: addresses, hashes, block references, requests.

`Address` is 20 bytes and `Hash32` is 32 bytes, the types of `eth_typing`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import sha3  # type: ignore[import-untyped]  # safe-pysha3 has no type hints
from eth_typing import Address, Hash32


def checksum(address: bytes, chain_id: int) -> str:
    """An address in the mixed case EIP-1191 gives it on that chain."""
    digits = address.hex()
    hashed = sha3.keccak_256(f"{chain_id}0x{digits}".encode()).hexdigest()
    cased = (
        digit.upper() if nibble >= "8" else digit
        for digit, nibble in zip(digits, hashed, strict=False)
    )
    return "0x" + "".join(cased)


def is_checksummed(text: str, chain_id: int) -> bool:
    """Whether a text is a 20-byte address in its EIP-1191 mixed case."""
    try:
        address = bytes.fromhex(text[2:])
    except ValueError:
        return False
    return len(address) == 20 and text == checksum(address, chain_id)


__all__ = [
    "MAX_UINT64",
    "MAX_UINT256",
    "NO_BLOCK_OVERRIDE",
    "SELECTOR_SIZE",
    "WORD_SIZE",
    "ZERO_ADDRESS",
    "ZERO_HASH",
    "Address",
    "Authorization",
    "BlockHash",
    "BlockOverride",
    "BlockRef",
    "BlockRequest",
    "Hash32",
    "LogQuery",
    "MineRequest",
    "PlacedTransaction",
    "SimulateRequest",
    "StateOverride",
    "StateOverrides",
    "Tag",
    "Topics",
    "TransactionRequest",
]

SELECTOR_SIZE = 4
"""Bytes of a function selector."""

MAX_UINT64 = 2**64 - 1
MAX_UINT256 = 2**256 - 1

WORD_SIZE = 32
"""Bytes of an EVM word, a hash and a storage slot."""

ZERO_ADDRESS = Address(bytes(20))
ZERO_HASH = Hash32(bytes(32))


class Tag(StrEnum):
    """A block named by its role rather than its number."""

    LATEST = "latest"
    EARLIEST = "earliest"
    PENDING = "pending"
    SAFE = "safe"
    FINALIZED = "finalized"


@dataclass(frozen=True, slots=True)
class BlockHash:
    """A block named by its hash (the string form, or EIP-1898's map)."""

    hash: Hash32
    require_canonical: bool = False


BlockRef = int | Tag | BlockHash
"""A block by number, by tag or by hash."""


@dataclass(frozen=True, slots=True)
class Authorization:
    """An account's signed leave to run a contract's code as its own (EIP-7702).

    A chain id of 0 is any chain.
    """

    chain_id: int
    address: Address
    nonce: int
    y_parity: int
    r: int
    s: int


@dataclass(frozen=True, slots=True)
class TransactionRequest:
    """A call object: what `eth_call`, `eth_estimateGas` and `eth_sendTransaction` take.

    Amounts are in wei, `gas` in gas. `None` means the caller did not say; `type` is what they
    named, or what the members they gave belong to.
    """

    sender: Address | None = None
    to: Address | None = None
    gas: int | None = None
    gas_price: int | None = None
    value: int | None = None
    data: bytes = b""
    nonce: int | None = None
    chain_id: int | None = None
    type: int | None = None
    max_fee_per_gas: int | None = None
    max_priority_fee_per_gas: int | None = None
    access_list: tuple[tuple[Address, tuple[int, ...]], ...] = ()
    authorizations: tuple[Authorization, ...] = ()


@dataclass(frozen=True, slots=True)
class StateOverride:
    """What one account is made to look like before a call runs.

    `state` replaces all storage, `state_diff` single slots; slots and values are integers.
    """

    balance: int | None = None
    nonce: int | None = None
    code: bytes | None = None
    state: dict[int, int] | None = None
    state_diff: dict[int, int] | None = None


StateOverrides = dict[Address, StateOverride]


@dataclass(frozen=True, slots=True)
class BlockOverride:
    """What the block a call runs in is made to look like; `None` leaves it as it is.

    `timestamp` is in seconds, `base_fee` in wei per gas; `hashes` are what BLOCKHASH says of blocks
    by number.
    """

    number: int | None = None
    timestamp: int | None = None
    gas_limit: int | None = None
    coinbase: Address | None = None
    random: Hash32 | None = None
    base_fee: int | None = None
    difficulty: int | None = None
    hashes: dict[int, Hash32] = field(default_factory=dict)


NO_BLOCK_OVERRIDE = BlockOverride()

Topics = tuple[frozenset[Hash32] | None, ...]
"""One entry a position: `None` matches anything, a set matches any of its members."""


@dataclass(frozen=True, slots=True)
class LogQuery:
    """Which logs are asked for: a block range or one block, addresses, topics.

    An absent bound is the latest block; an empty `addresses` matches every address.
    """

    from_block: BlockRef | None = None
    to_block: BlockRef | None = None
    block_hash: Hash32 | None = None
    addresses: frozenset[Address] = frozenset()
    topics: Topics = ()


@dataclass(frozen=True, slots=True)
class BlockRequest:
    """A block to be simulated: what it and its state are made to look like, and its calls."""

    header: BlockOverride = NO_BLOCK_OVERRIDE
    state: StateOverrides = field(default_factory=dict)
    calls: tuple[TransactionRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class SimulateRequest:
    """Blocks to be simulated one after the other.

    With `validation` calls have to be valid as transactions are; `transfers` adds a log to every
    transfer of value; `full` shows whole transactions.
    """

    blocks: tuple[BlockRequest, ...]
    validation: bool = False
    transfers: bool = False
    full: bool = False


@dataclass(frozen=True, slots=True)
class PlacedTransaction:
    """A transaction, signed or to be signed, and the new block of a reorganisation it goes into."""

    transaction: TransactionRequest | bytes
    block: int


@dataclass(frozen=True, slots=True)
class MineRequest:
    """How many blocks are made, the timestamp of the first and the time between them, in seconds.

    Without an interval the blocks follow each other as the clock has it.
    """

    blocks: int = 1
    timestamp: int | None = None
    interval: int | None = None
