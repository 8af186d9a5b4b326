"""Between JSON and Python: a decoder for each type hint, an encoding for each value."""

from __future__ import annotations

import functools
import operator
import re
import types
import typing
from collections.abc import Callable
from typing import Any, NewType, cast

from devchain.checksum import is_checksummed
from devchain.node import Node
from devchain.rpc.errors import InvalidParams, ParseFailed
from devchain.rpc.json_text import parse
from devchain.types import (
    Address,
    BlockHash,
    BlockOverride,
    BlockRef,
    Hash32,
    LogQuery,
    MineRequest,
    PlacedTransaction,
    StateOverride,
    StateOverrides,
    Tag,
    Topics,
    TransactionRequest,
)

Decoder = Callable[[object, Node], Any]

Loose = NewType("Loose", int)
"""A number given as QUANTITY, JSON integer or decimal text; at most 64 bits, never negative."""


Amount = NewType("Amount", int)
"""A number as `Loose` takes it, of up to 256 bits; `0x` is 0, as it is to Hardhat."""


Milliseconds = NewType("Milliseconds", int)
"""A number as `Loose` takes it; of a range `[least, most]` the middle."""

JsonMap = NewType("JsonMap", dict[str, object])
"""Any JSON object."""


Percentile = NewType("Percentile", float)
"""A JSON number from 0 to 100."""

TypedData = NewType("TypedData", dict[str, object])
"""EIP-712 data: an object, or one as JSON text."""


class Number(int):
    """An integer that leaves as a JSON number rather than a QUANTITY."""


MAX_UINT256 = 2**256 - 1
MAX_UINT64 = 2**64 - 1
MAX_TOPICS = 4
PAIR = 2
WHOLE = 100
HEX = re.compile(r"0x[0-9a-fA-F]*\Z")
DECIMAL = re.compile(r"[0-9]{1,78}\Z")
ADDRESS_TEXT = re.compile(r"0x[0-9a-fA-F]{40}\Z")
HASH_TEXT = re.compile(r"0x[0-9a-fA-F]{64}\Z")
HEX_DIGITS_OF_UINT256 = 64
TAGS = {tag.value: tag for tag in Tag}


# Encoding


def encode(value: object) -> Any:
    """The JSON form of a result: int -> minimal hex, bytes -> hex, the rest inside out."""
    kind = type(value)
    if kind is int:  # what most results are: nothing else has to be asked
        return hex(cast(int, value))
    if kind is bytes:
        return "0x" + cast(bytes, value).hex()
    if value is None or isinstance(value, bool | str | float):
        return value
    if isinstance(value, Number):
        return int(value)
    if isinstance(value, int):
        return hex(value)
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, dict):
        return {key: encode(each) for key, each in value.items()}
    return [encode(each) for each in cast("list[object]", value)]


# Decoding: plain values


def quantity(value: object, node: Node | None = None, limit: int = MAX_UINT256) -> int:
    """A QUANTITY: 0x hex of any length, or a JSON integer."""
    del node
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _wrong_kind("a QUANTITY such as 0x1f", value)
    number = _hex_number(value) if isinstance(value, str) else _json_number(value)
    if number > limit:
        msg = f"{_shown(value)} is larger than {limit.bit_length()} bits hold"
        raise InvalidParams(msg)
    return number


def _uint64(value: object, node: Node) -> int:
    return quantity(value, node, limit=MAX_UINT64)


def _hex_number(text: str) -> int:
    if not HEX.match(text) or text == "0x":
        msg = f"want a QUANTITY such as 0x1f, got {_shown(text)}"
        raise InvalidParams(msg)
    digits = text[2:].lstrip("0")
    if len(digits) > HEX_DIGITS_OF_UINT256:
        msg = f"{_shown(text)} is larger than 256 bits hold"
        raise InvalidParams(msg)
    return int(digits or "0", 16)


def _json_number(number: int) -> int:
    if number < 0:
        msg = f"{_shown(number)} is negative"
        raise InvalidParams(msg)
    if number > MAX_UINT64:
        msg = "a JSON integer of more than 64 bits loses digits: write it as 0x hex"
        raise InvalidParams(msg)
    return number


def loose(value: object, node: Node) -> Loose:
    """A number as QUANTITY, JSON integer or decimal text."""
    if isinstance(value, str) and DECIMAL.match(value):
        value = hex(int(value))
    return Loose(quantity(value, node, limit=MAX_UINT64))


def amount(value: object, node: Node) -> Amount:
    """A number of up to 256 bits as QUANTITY, JSON integer or decimal text; `0x` is 0."""
    if isinstance(value, str) and DECIMAL.match(value):
        value = hex(int(value))
    return Amount(0 if value == "0x" else quantity(value, node))


def milliseconds(value: object, node: Node) -> Milliseconds:
    """A number of milliseconds, or the middle of a range of them."""
    if isinstance(value, list) and len(value) == PAIR:
        return Milliseconds(sum(loose(each, node) for each in value) // PAIR)
    return Milliseconds(loose(value, node))


def json_map(value: object, node: Node) -> JsonMap:
    """A JSON object, whatever is in it."""
    del node
    return JsonMap(_object(value))


def percentile(value: object, node: Node) -> Percentile:
    """A JSON number from 0 to 100."""
    del node
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= cast(float, value) <= WHOLE:
        msg = f"want a JSON number from 0 to 100, got {_shown(value)}"
        raise InvalidParams(msg)
    return Percentile(float(cast(float, value)))


def typed_data(value: object, node: Node) -> TypedData:
    """EIP-712 data as an object, or as JSON text, which is how wallets get it."""
    del node
    if isinstance(value, str):
        try:
            value = parse(value.encode())
        except (ParseFailed, UnicodeEncodeError) as error:
            msg = f"want typed data as an object or as JSON: {error}"
            raise InvalidParams(msg) from error
    return TypedData(_object(value))


def data(value: object, node: Node | None = None, length: int | None = None) -> bytes:
    """DATA: 0x hex of even length, of exactly `length` bytes where it is given."""
    del node
    if not isinstance(value, str):
        raise _wrong_kind("DATA such as 0x12ab", value)
    if not HEX.match(value):
        msg = f"want DATA: 0x and hex digits, got {_shown(value)}"
        raise InvalidParams(msg)
    if len(value) % 2:
        msg = f"want an even number of hex digits, got {len(value) - 2}"
        raise InvalidParams(msg)
    decoded = bytes.fromhex(value[2:])
    if length is not None and len(decoded) != length:
        msg = f"want {length} bytes, got {len(decoded)}"
        raise InvalidParams(msg)
    return decoded


def address(value: object, node: Node) -> Address:
    """A 20-byte address in any letter case, its EIP-1191 checksum verified if configured."""
    if type(value) is str and ADDRESS_TEXT.match(value):
        decoded = Address(bytes.fromhex(value[2:]))
    else:
        decoded = Address(data(value, node, length=20))
    if node.config.checksum_addresses:
        text = cast(str, value)
        chain_id = node.config.effective_chain_id
        mixed = text[2:] not in (text[2:].lower(), text[2:].upper())
        if mixed and not is_checksummed(text, chain_id):
            msg = f"{text} has a wrong checksum for chain id {chain_id} (EIP-1191)"
            raise InvalidParams(msg)
    return decoded


def hash32(value: object, node: Node) -> Hash32:
    """A 32-byte hash."""
    return Hash32(data(value, node, length=32))


def boolean(value: object, node: Node) -> bool:
    """A JSON boolean."""
    del node
    if not isinstance(value, bool):
        raise _wrong_kind("true or false", value)
    return value


def text(value: object, node: Node) -> str:
    """A JSON string."""
    del node
    if not isinstance(value, str):
        raise _wrong_kind("a string", value)
    return value


# Decoding: the objects of the spec


def block_ref(value: object, node: Node) -> BlockRef:
    """A block by number, tag, 32-byte hash or EIP-1898 map."""
    if isinstance(value, str):
        tag = TAGS.get(value)
        if tag is not None:
            return tag
        if HASH_TEXT.match(value):
            return BlockHash(hash32(value, node))
    if isinstance(value, dict):
        return _block_map(value, node)
    try:
        return quantity(value, limit=MAX_UINT64)
    except InvalidParams as error:
        msg = f"want a block number, tag or hash: {error}; tags are {', '.join(TAGS)}"
        raise InvalidParams(msg) from error


def _block_map(value: dict[str, object], node: Node) -> BlockRef:
    given = _fields(value, {"blockHash", "blockNumber", "requireCanonical"})
    canonical = bool(_member(boolean, given, "requireCanonical", node))
    given.pop("requireCanonical", None)
    if len(given) != 1:
        msg = "want exactly one of blockHash and blockNumber"
        raise InvalidParams(msg)
    if "blockHash" in given:
        return BlockHash(_member(hash32, given, "blockHash", node), canonical)
    return cast(int, _member(quantity, given, "blockNumber", node))


def transaction_request(value: object, node: Node) -> TransactionRequest:
    """A call object; members it does not know are ignored, as the real node does."""
    given = {name: each for name, each in _object(value).items() if each is not None}
    fields = {}
    for name, each in given.items():
        member = CALL_MEMBERS.get(name)
        if member:
            field, decode = member
            fields[field] = _member_of(name, decode, each, node)
    if "gas" not in given and "gasLimit" in given:
        fields["gas"] = _member_of("gasLimit", quantity, given["gasLimit"], node)
    return TransactionRequest(
        to=_recipient(given, node),
        data=_call_data(given, node),
        type=_transaction_type(given, node),
        **fields,
    )


TYPED_MEMBERS = {
    "authorizationList": 4,
    "blobVersionedHashes": 3,
    "maxFeePerGas": 2,
    "maxPriorityFeePerGas": 2,
    "accessList": 1,
}


def _transaction_type(given: dict[str, Any], node: Node) -> int | None:
    """The type a caller names, or the one that the members they give belong to."""
    if "type" in given:
        return cast(int, _member_of("type", quantity, given["type"], node))
    if given.keys().isdisjoint(TYPED_MEMBERS):
        return None
    return next((kind for name, kind in TYPED_MEMBERS.items() if given.get(name)), None)


def _access_list(value: object, node: Node) -> tuple[tuple[Address, tuple[int, ...]], ...]:
    """An EIP-2930 access list: addresses, each with the slots that will be read."""
    if not isinstance(value, list):
        raise _wrong_kind("an array", value)
    return tuple(_access(_object(each), node) for each in value)


def _access(given: dict[str, Any], node: Node) -> tuple[Address, tuple[int, ...]]:
    slots = given.get("storageKeys") or []
    if not isinstance(slots, list):
        raise _wrong_kind("an array", slots)
    read = tuple(_member_of("storageKeys", quantity, each, node) for each in slots)
    return _member_of("address", address, given.get("address"), node), read


def _recipient(given: dict[str, Any], node: Node) -> Address | None:
    """Empty DATA means what null means: a contract creation."""
    to = given.get("to")
    return None if to is None or to == "0x" else _member_of("to", address, to, node)


def _call_data(given: dict[str, Any], node: Node) -> bytes:
    found = [_member_of(name, data, given[name], node) for name in DATA_MEMBERS if name in given]
    if len(found) > 1 and found[0] != found[1]:
        msg = "data and input differ: give one of them"
        raise InvalidParams(msg)
    return cast(bytes, found[0]) if found else b""


DATA_MEMBERS = ("input", "data")

CALL_MEMBERS: dict[str, tuple[str, Decoder]] = {
    "from": ("sender", address),
    "gas": ("gas", quantity),
    "gasPrice": ("gas_price", quantity),
    "value": ("value", quantity),
    "nonce": ("nonce", _uint64),
    "chainId": ("chain_id", quantity),
    "maxFeePerGas": ("max_fee_per_gas", quantity),
    "maxPriorityFeePerGas": ("max_priority_fee_per_gas", quantity),
    "accessList": ("access_list", _access_list),
}
"""Members of a call object that are what one field of the request is, and how they are read."""


def state_overrides(value: object, node: Node) -> StateOverrides:
    """A state override set: address -> what the account shall look like."""
    return {
        address(key, node): _member_of(key, _state_override, each, node)
        for key, each in _object(value).items()
    }


OVERRIDES = {"balance", "nonce", "code", "state", "stateDiff", "movePrecompileToAddress"}


def _state_override(value: object, node: Node) -> StateOverride:
    given = _fields(_object(value), OVERRIDES)
    if "movePrecompileToAddress" in given:
        msg = "movePrecompileToAddress is not supported: leave it out"
        raise InvalidParams(msg)
    if "state" in given and "stateDiff" in given:
        msg = "state and stateDiff exclude each other: give one of them"
        raise InvalidParams(msg)
    return StateOverride(
        balance=_member(quantity, given, "balance", node),
        nonce=_member(_uint64, given, "nonce", node),
        code=_member(data, given, "code", node),
        state=_member(_slots, given, "state", node),
        state_diff=_member(_slots, given, "stateDiff", node),
    )


BLOCK_OVERRIDES = {
    "number",
    "time",
    "gasLimit",
    "feeRecipient",
    "coinbase",
    "prevRandao",
    "random",
    "baseFeePerGas",
    "baseFee",
    "difficulty",
    "blockHash",
}


def block_override(value: object, node: Node) -> BlockOverride:
    """A block override set in geth's shape, in the spelling of old or new."""
    given = _fields(_object(value), BLOCK_OVERRIDES)
    return BlockOverride(
        number=_member(_uint64, given, "number", node),
        timestamp=_member(_uint64, given, "time", node),
        gas_limit=_member(_uint64, given, "gasLimit", node),
        coinbase=_member(address, given, "feeRecipient", node, fallback="coinbase"),
        random=_member(hash32, given, "prevRandao", node, fallback="random"),
        base_fee=_member(quantity, given, "baseFeePerGas", node, fallback="baseFee"),
        difficulty=_member(quantity, given, "difficulty", node),
        hashes=_member(_block_hashes, given, "blockHash", node) or {},
    )


def _block_hashes(value: object, node: Node) -> dict[int, Hash32]:
    return {_uint64(key, node): hash32(each, node) for key, each in _object(value).items()}


def _slots(value: object, node: Node) -> dict[int, int]:
    return {quantity(key, node): quantity(each, node) for key, each in _object(value).items()}


def log_query(value: object, node: Node) -> LogQuery:
    """Log filter options: `fromBlock`, `toBlock`, `blockHash`, `address`, `topics`."""
    given = {key: each for key, each in _object(value).items() if each is not None}
    if "blockHash" in given and ("fromBlock" in given or "toBlock" in given):
        msg = "cannot specify both blockHash and fromBlock/toBlock: choose one or the other"
        raise InvalidParams(msg)
    return LogQuery(
        from_block=_member(block_ref, given, "fromBlock", node),
        to_block=_member(block_ref, given, "toBlock", node),
        block_hash=_member(hash32, given, "blockHash", node),
        addresses=_member(_addresses, given, "address", node) or frozenset(),
        topics=_member(_topics, given, "topics", node) or (),
    )


def log_query_or_flag(value: object, node: Node) -> LogQuery | bool:
    """What `eth_subscribe` takes after the kind: log filter options or a boolean."""
    return value if isinstance(value, bool) else log_query(value, node)


def _addresses(value: object, node: Node) -> frozenset[Address]:
    listed = value if isinstance(value, list) else [value]
    return frozenset(address(each, node) for each in listed)


def _topics(value: object, node: Node) -> Topics:
    listed = value if isinstance(value, list) else [value]
    if len(listed) > MAX_TOPICS:
        msg = f"a log has at most {MAX_TOPICS} topics, got {len(listed)}"
        raise InvalidParams(msg)
    return tuple(_topic(each, node) for each in listed)


def _topic(value: object, node: Node) -> frozenset[Hash32] | None:
    """None matches anything, and so does an empty list or one with a null in it."""
    if value is None or (isinstance(value, list) and (not value or None in value)):
        return None
    return frozenset(hash32(each, node) for each in (value if isinstance(value, list) else [value]))


def mine_request(value: object, node: Node) -> MineRequest:
    """What `evm_mine` takes: a timestamp, or `{blocks, timestamp}`."""
    if not isinstance(value, dict):
        return MineRequest(timestamp=loose(value, node))
    given = _fields(value, {"blocks", "timestamp"})
    blocks = _member(loose, given, "blocks", node)
    return MineRequest(
        blocks=1 if blocks is None else blocks,
        timestamp=_member(loose, given, "timestamp", node),
    )


def placed_transaction(value: object, node: Node) -> PlacedTransaction:
    """A pair of a transaction, as raw DATA or a call object, and the new block it goes into."""
    if not isinstance(value, list) or len(value) != PAIR:
        msg = "want a pair: a transaction and the number of the new block it goes into"
        raise InvalidParams(msg)
    given, block = value
    decode = data if isinstance(given, str) else transaction_request
    return PlacedTransaction(decode(given, node), loose(block, node))


# Reading members of objects


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong_kind("an object", value)
    return value


def _fields(value: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """The members that are given; one nobody knows is refused."""
    unknown = sorted(set(value) - known)
    if unknown:
        msg = f"unknown member {_shown(unknown[0])}: known are {', '.join(sorted(known))}"
        raise InvalidParams(msg)
    return {key: each for key, each in value.items() if each is not None}


def _member(
    decode: Decoder, given: dict[str, Any], name: str, node: Node, fallback: str | None = None
) -> Any:
    """A decoded member, None if it is absent or null."""
    if given.get(name) is None and fallback is not None:
        name = fallback
    value = given.get(name)
    return None if value is None else _member_of(name, decode, value, node)


def _member_of(name: str, decode: Decoder, value: object, node: Node) -> Any:
    try:
        return decode(value, node)
    except InvalidParams as error:
        msg = f"{name}: {error}"
        raise InvalidParams(msg) from error


# From hint to decoder

DECODERS: dict[Any, Decoder] = {
    int: quantity,
    bytes: data,
    bool: boolean,
    str: text,
    Loose: loose,
    Amount: amount,
    Percentile: percentile,
    TypedData: typed_data,
    Milliseconds: milliseconds,
    JsonMap: json_map,
    PlacedTransaction: placed_transaction,
    Address: address,
    Hash32: hash32,
    BlockRef: block_ref,
    TransactionRequest: transaction_request,
    StateOverrides: state_overrides,
    BlockOverride: block_override,
    LogQuery: log_query,
    LogQuery | bool: log_query_or_flag,
    MineRequest: mine_request,
}


def decoder_for(hint: Any) -> Decoder:
    """The decoder of a type hint; a hint without one is a `TypeError`."""
    if hint in DECODERS:
        return DECODERS[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union) and types.NoneType in arguments:
        rest = [each for each in arguments if each is not types.NoneType]
        return decoder_for(functools.reduce(operator.or_, rest))
    if origin is list:
        return _list_of(decoder_for(arguments[0]))
    msg = f"no decoder for parameters of type {hint!r}"
    raise TypeError(msg)


def _list_of(decode: Decoder) -> Decoder:
    def decode_list(value: object, node: Node) -> list[Any]:
        if not isinstance(value, list):
            raise _wrong_kind("an array", value)
        return [decode(each, node) for each in value]

    return decode_list


def _wrong_kind(wanted: str, value: object) -> InvalidParams:
    return InvalidParams(f"want {wanted}, got {_kind(value)}")


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    names = {dict: "an object", list: "an array", float: "a fraction", str: "text", int: "a number"}
    return names.get(type(value), "something else")


def _shown(value: object, width: int = 80) -> str:
    """A caller's text, quoted and cut, for an error message."""
    quoted = ascii(value)
    return quoted if len(quoted) <= width else quoted[: width - 3] + "..."
