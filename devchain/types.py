"""Value types of all packages; amounts are in wei, timestamps in seconds."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from operator import index
from typing import Any, NamedTuple

import sha3  # type: ignore[import-untyped]  # safe-pysha3 has no type hints
from eth_typing import Address as Address  # noqa: PLC0414  # which others import from here
from eth_typing import Hash32 as Hash32  # noqa: PLC0414  # likewise

from devchain.errors import InvalidInput
from devchain.text import shown_argument

SELECTOR_SIZE = 4  # bytes of a function selector

ROOTSTOCK_CHAIN_IDS = (30, 31, 32, 33)  # whose EIP-1191 checksums are known everywhere
MAX_UINT64 = 2**64 - 1
MAX_UINT256 = 2**256 - 1

ADDRESS_SIZE = 20
WORD_SIZE = 32  # bytes of an EVM word, a hash and a storage slot
ZERO_ADDRESS = Address(bytes(20))
ZERO_HASH = Hash32(bytes(32))


class Tag(StrEnum):
    """A block by its role: the JSON-RPC block tags."""

    LATEST = "latest"
    EARLIEST = "earliest"
    PENDING = "pending"
    SAFE = "safe"
    FINALIZED = "finalized"


@dataclass(frozen=True, slots=True)
class BlockHash:
    """A block by its hash."""

    hash: Hash32


BlockRef = int | Tag | BlockHash  # by number, by tag or by hash


@dataclass(frozen=True, slots=True)
class BeforeTransaction:
    """The state before the transaction at an index of a block: the transactions before it ran."""

    block: BlockRef
    index: int


StateRef = BlockRef | BeforeTransaction  # after a block, or before a transaction of it
BlockLike = BlockRef | str | bytes  # as callers may write it: tag or hash as text, hash as bytes
StateLike = StateRef | str | bytes  # as callers in Python may write it, see `BlockLike`


@dataclass(frozen=True, slots=True)
class Authorization:
    """A signed delegation to a contract's code (EIP-7702); chain id 0 is valid on all chains."""

    chain_id: int
    address: Address
    nonce: int
    y_parity: int
    r: int
    s: int


class TransactionRequest(NamedTuple):
    """A call object, the parameter of `eth_call`, `eth_estimateGas` and `eth_sendTransaction`.

    `None` means absent. `type` is the transaction type (EIP-2718).
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
    """The changes to an account before a call: `state` replaces all storage, `state_diff` slots."""

    balance: int | None = None
    nonce: int | None = None
    code: bytes | None = None
    state: dict[int, int] | None = None
    state_diff: dict[int, int] | None = None


StateOverrides = dict[Address, StateOverride]


@dataclass(frozen=True, slots=True)
class BlockOverride:
    """The changes to the header of the block that a call is executed in; `None` is no change.

    `base_fee` and `blob_base_fee` are in wei per gas; the latter is what BLOBBASEFEE returns.
    `hashes` are the results of BLOCKHASH by block number.
    """

    number: int | None = None
    timestamp: int | None = None
    gas_limit: int | None = None
    coinbase: Address | None = None
    random: Hash32 | None = None
    base_fee: int | None = None
    blob_base_fee: int | None = None
    difficulty: int | None = None
    hashes: dict[int, Hash32] = field(default_factory=dict)


NO_BLOCK_OVERRIDE = BlockOverride()


class Transfer(NamedTuple):
    """A transfer of a token, or without one of the coin below the first message.

    `token_id` is None of ERC-20; the zero address mints and burns. `amount` is in the token's
    smallest unit, 1 of an ERC-721 token. `position` is that of its transaction on the chain, block
    and index, once it is indexed.
    """

    token: Address | None
    sender: Address
    recipient: Address
    amount: int
    token_id: int | None = None
    position: tuple[int, int] = (0, 0)


Topics = tuple[frozenset[Hash32] | None, ...]  # by position; `None` matches any topic


@dataclass(frozen=True, slots=True)
class LogQuery:
    """A log filter: a block range or one block, addresses, topics.

    A bound of `None` is the latest block; empty `addresses` match every address.
    """

    from_block: BlockRef | None = None
    to_block: BlockRef | None = None
    block_hash: Hash32 | None = None
    addresses: frozenset[Address] = frozenset()
    topics: Topics = ()


@dataclass(frozen=True, slots=True)
class BlockRequest:
    """A block to simulate: the changes to its header and its state, and its calls."""

    header: BlockOverride = NO_BLOCK_OVERRIDE
    state: StateOverrides = field(default_factory=dict)
    calls: tuple[TransactionRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class SimulateRequest:
    """Blocks to simulate, each on top of the one before (`eth_simulateV1`).

    `validation` checks calls as transactions, `transfers` adds a log for every transfer of value.
    """

    blocks: tuple[BlockRequest, ...] = ()
    validation: bool = False
    transfers: bool = False
    full: bool = False


class TracedCall(NamedTuple):
    """A call of `trace_callMany`, with the types of its traces."""

    request: TransactionRequest
    kinds: list[str]


@dataclass(frozen=True, slots=True)
class PlacedTransaction:
    """A transaction, signed or to be signed, and the index of its block in a reorganization."""

    transaction: TransactionRequest | bytes
    block: int


@dataclass(frozen=True, slots=True)
class MineRequest:
    """A number of blocks to mine, the timestamp of the first, and the interval between them.

    A timestamp or an interval of `None` is the clock's, and so is an interval of 0.
    """

    blocks: int = 1
    timestamp: int | None = None
    interval: int | None = None


@lru_cache(4_096)
def checksum(address: bytes, chain_id: int | None = None) -> str:
    """An address as text with EIP-55's checksum in its letter case; EIP-1191's of a chain id."""
    digits = address.hex()
    hashed_text = digits if chain_id is None else f"{chain_id}0x{digits}"
    hashed = sha3.keccak_256(hashed_text.encode()).hexdigest()
    cased = (
        digit.upper() if nibble >= "8" else digit
        for digit, nibble in zip(digits, hashed, strict=False)
    )
    return "0x" + "".join(cased)


class AddressBytes(bytes):
    """An address as contracts return it: 20 bytes that show as checksummed text (EIP-55).

    It equals the bytes, hex text in any letter case, and objects with an `address`. As a dictionary
    key it matches bytes and accounts, not text.
    """

    def __eq__(self, other: object) -> bool:
        """Whether the other is the same address, in whatever form."""
        found = other if isinstance(other, bytes | str) else getattr(other, "address", None)
        if isinstance(found, str):
            return found.lower() == f"0x{self.hex()}"
        return isinstance(found, bytes) and bytes.__eq__(self, found)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = bytes.__hash__

    def __str__(self) -> str:
        return checksum(self)

    def __repr__(self) -> str:
        return checksum(self)


def warn_of_checksum(text: str) -> None:
    """Warn of an address whose letter case is neither EIP-55's nor EIP-1191's of Rootstock."""
    digits = text.removeprefix("0x")
    if len(digits) != 40 or digits in (digits.lower(), digits.upper()):
        return
    address = bytes.fromhex(digits)
    if all(
        f"0x{digits}" != checksum(address, chain_id) for chain_id in (None, *ROOTSTOCK_CHAIN_IDS)
    ):
        warnings.warn(
            f"the letter case of {text} is not that of its checksum: compare its digits",
            stacklevel=level_of_caller(),
        )


def level_of_caller() -> int:
    """The `stacklevel` of a warning that names the line of the program which called devchain."""
    frame, level = sys._getframe(1), 1  # noqa: SLF001  # as `warnings` itself does
    while frame.f_back and str(frame.f_globals.get("__name__")).startswith("devchain."):
        frame, level = frame.f_back, level + 1
    return level


# What callers of the Python API give


def address_of(value: object) -> Address:
    """Convert 20 bytes, hex text or an object with `address`; raises `InvalidInput`.

    Warns of hex text whose letter case is not that of its checksum.
    """
    found = getattr(value, "address", value)
    if isinstance(found, bytes) and len(found) == len(ZERO_ADDRESS):
        return Address(bytes(found))  # plain, as the chain's dictionaries have them
    if isinstance(found, str):
        text = found
        try:
            found = bytes.fromhex(found.removeprefix("0x"))
        except ValueError:
            found = None
        else:
            if text is value:
                warn_of_checksum(text)
    if not isinstance(found, bytes) or len(found) != len(ZERO_ADDRESS):
        shown = shown_argument(value)
        raise InvalidInput(f"{shown} is not an address: give 20 bytes, hex text or a contract")
    return Address(found)


def block_of(value: object) -> Any:
    """A block, or a state within one, of what callers may write; raises `InvalidInput`."""
    if isinstance(value, int | Tag | BlockHash | BeforeTransaction):
        return value
    if isinstance(value, str) and value in list(Tag):
        return Tag(value)
    with suppress(InvalidInput, TypeError):
        found = bytes_of("block", value) if isinstance(value, bytes | str) else b""
        return BlockHash(Hash32(found)) if len(found) == 32 else index(value)  # type: ignore[arg-type]  # a TypeError
    raise InvalidInput(
        f"{shown_argument(value)} is no block: give its number, its hash, or {', '.join(Tag)}"
    )


def whole_number(name: str, value: Any, *, bits: int, is_amount: bool = False) -> int:
    """A number of at most that many bits, not negative; otherwise as `integer`."""
    number = integer(name, value, is_amount=is_amount)
    if not 0 <= number < 2**bits:
        raise InvalidInput(
            f"{name} {number} is out of range: give a whole number from 0 to 2^{bits} - 1"
        )
    return number


def integer(name: str, value: Any, *, is_amount: bool = False) -> int:
    """What counts as an integer in Python, no float and no text; raises `InvalidInput`."""
    example = " of wei, like 10**18 for a coin" if is_amount else ""
    try:
        return index(value)
    except TypeError:
        whole = isinstance(value, float) and value.is_integer()
        hint = f"; write {int(value)}" if whole and not is_amount else ""
        raise InvalidInput(
            f"{name} {shown_argument(value)} is a {type(value).__name__}: "
            f"give a whole number{example}{hint}"
        ) from None


def amount_of(name: str, value: Any) -> int:
    return whole_number(name, value, bits=256, is_amount=True)


def bytes_of(name: str, value: Any) -> bytes:
    """Bytes, also of hex text; raises `InvalidInput`."""
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    with suppress(ValueError, AttributeError):
        return bytes.fromhex(value.removeprefix("0x"))
    raise InvalidInput(f"{name} {shown_argument(value)} is not data: give bytes or hex text")


def wrong_type(value: object, wanted: type, hint: str = "") -> InvalidInput:
    """The error for a value that is not of the one type that it can be of."""
    more = f", {hint}" if hint else ""
    return InvalidInput(
        f"{shown_argument(value)} is a {type(value).__name__}: give a {wanted.__name__}{more}"
    )


def hash_of(value: object) -> Hash32:
    """A transaction's hash: 32 bytes, hex text or an object with `hash`; raises `InvalidInput`."""
    found = value if isinstance(value, bytes | str) else getattr(value, "hash", value)
    with suppress(InvalidInput):
        found = bytes_of("hash", found)
    if not isinstance(found, bytes) or len(found) != 32:
        raise InvalidInput(
            f"{shown_argument(value)} is not a transaction's hash: "
            "give 32 bytes, hex text, or what a transaction returned"
        )
    return Hash32(found)
