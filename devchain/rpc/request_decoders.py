"""Decoders of the objects that methods take: blocks, calls, overrides, log filters."""

from __future__ import annotations

import re
from typing import Any, cast

from devchain.node import Node
from devchain.rpc.decoders import (
    MAX_UINT64,
    PAIR,
    Decoder,
    address,
    boolean,
    data,
    fields,
    hash32,
    json_object,
    loose,
    member,
    member_of,
    quantity,
    uint64,
    wrong_kind,
)
from devchain.rpc.errors import InvalidParams
from devchain.types import (
    NO_BLOCK_OVERRIDE,
    Address,
    Authorization,
    BlockHash,
    BlockOverride,
    BlockRef,
    BlockRequest,
    Hash32,
    LogQuery,
    MineRequest,
    PlacedTransaction,
    SimulateRequest,
    StateOverride,
    StateOverrides,
    Tag,
    Topics,
    TransactionRequest,
)

MAX_TOPICS = 4
PARITIES = {0: 0, 1: 1, 27: 0, 28: 1}
HASH_TEXT = re.compile(r"0x[0-9a-fA-F]{64}\Z")
TAGS = {tag.value: tag for tag in Tag}


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
    given = fields(value, {"blockHash", "blockNumber", "requireCanonical"})
    canonical = bool(member(boolean, given, "requireCanonical", node))
    given.pop("requireCanonical", None)
    if len(given) != 1:
        msg = "want exactly one of blockHash and blockNumber"
        raise InvalidParams(msg)
    if "blockHash" in given:
        return BlockHash(member(hash32, given, "blockHash", node), canonical)
    return cast(int, member(quantity, given, "blockNumber", node))


def transaction_request(value: object, node: Node) -> TransactionRequest:
    """A call object; members it does not know are ignored, as the real node does."""
    given = {name: each for name, each in json_object(value).items() if each is not None}
    fields = {}
    for name, each in given.items():
        member = CALL_MEMBERS.get(name)
        if member:
            field, decode = member
            fields[field] = member_of(name, decode, each, node)
    if "gas" not in given and "gasLimit" in given:
        fields["gas"] = member_of("gasLimit", quantity, given["gasLimit"], node)
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
        return cast(int, member_of("type", quantity, given["type"], node))
    if given.keys().isdisjoint(TYPED_MEMBERS):
        return None
    return next((kind for name, kind in TYPED_MEMBERS.items() if given.get(name)), None)


def _access_list(value: object, node: Node) -> tuple[tuple[Address, tuple[int, ...]], ...]:
    """An EIP-2930 access list: addresses, each with the slots that will be read."""
    if not isinstance(value, list):
        raise wrong_kind("an array", value)
    return tuple(_access(json_object(each), node) for each in value)


def _access(given: dict[str, Any], node: Node) -> tuple[Address, tuple[int, ...]]:
    slots = given.get("storageKeys") or []
    if not isinstance(slots, list):
        raise wrong_kind("an array", slots)
    read = tuple(member_of("storageKeys", quantity, each, node) for each in slots)
    return member_of("address", address, given.get("address"), node), read


def _authorization_list(value: object, node: Node) -> tuple[Authorization, ...]:
    """An EIP-7702 list: who lets which code run as their own, each signed."""
    if not isinstance(value, list):
        raise wrong_kind("an array", value)
    return tuple(_authorization(json_object(each), node) for each in value)


def _authorization(given: dict[str, Any], node: Node) -> Authorization:
    parity = "yParity" if given.get("yParity") is not None else "v"
    return Authorization(
        chain_id=member_of("chainId", quantity, given.get("chainId"), node),
        address=member_of("address", address, given.get("address"), node),
        nonce=member_of("nonce", uint64, given.get("nonce"), node),
        y_parity=member_of(parity, _parity, given.get(parity), node),
        r=member_of("r", quantity, given.get("r"), node),
        s=member_of("s", quantity, given.get("s"), node),
    )


def _parity(value: object, node: Node) -> int:
    """0 or 1; 27 and 28 are what some libraries call them."""
    number = quantity(value, node)
    if number not in PARITIES:
        msg = f"want 0 or 1, got {number}"
        raise InvalidParams(msg)
    return PARITIES[number]


def _recipient(given: dict[str, Any], node: Node) -> Address | None:
    """Empty DATA means what null means: a contract creation."""
    to = given.get("to")
    return None if to is None or to == "0x" else member_of("to", address, to, node)


def _call_data(given: dict[str, Any], node: Node) -> bytes:
    found = [member_of(name, data, given[name], node) for name in DATA_MEMBERS if name in given]
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
    "nonce": ("nonce", uint64),
    "chainId": ("chain_id", quantity),
    "maxFeePerGas": ("max_fee_per_gas", quantity),
    "maxPriorityFeePerGas": ("max_priority_fee_per_gas", quantity),
    "accessList": ("access_list", _access_list),
    "authorizationList": ("authorizations", _authorization_list),
}
"""Members of a call object that are what one field of the request is, and how they are read."""


def state_overrides(value: object, node: Node) -> StateOverrides:
    """A state override set: address -> what the account shall look like."""
    return {
        address(key, node): member_of(key, _state_override, each, node)
        for key, each in json_object(value).items()
    }


OVERRIDES = {"balance", "nonce", "code", "state", "stateDiff", "movePrecompileToAddress"}


def _state_override(value: object, node: Node) -> StateOverride:
    given = fields(json_object(value), OVERRIDES)
    if "movePrecompileToAddress" in given:
        msg = "movePrecompileToAddress is not supported: leave it out"
        raise InvalidParams(msg)
    if "state" in given and "stateDiff" in given:
        msg = "state and stateDiff exclude each other: give one of them"
        raise InvalidParams(msg)
    return StateOverride(
        balance=member(quantity, given, "balance", node),
        nonce=member(uint64, given, "nonce", node),
        code=member(data, given, "code", node),
        state=member(_slots, given, "state", node),
        state_diff=member(_slots, given, "stateDiff", node),
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
    given = fields(json_object(value), BLOCK_OVERRIDES)
    return BlockOverride(
        number=member(uint64, given, "number", node),
        timestamp=member(uint64, given, "time", node),
        gas_limit=member(uint64, given, "gasLimit", node),
        coinbase=member(address, given, "feeRecipient", node, fallback="coinbase"),
        random=member(hash32, given, "prevRandao", node, fallback="random"),
        base_fee=member(quantity, given, "baseFeePerGas", node, fallback="baseFee"),
        difficulty=member(quantity, given, "difficulty", node),
        hashes=member(_block_hashes, given, "blockHash", node) or {},
    )


SIMULATE_MEMBERS = {"blockStateCalls", "validation", "traceTransfers", "returnFullTransactions"}


def simulate_request(value: object, node: Node) -> SimulateRequest:
    """What `eth_simulateV1` takes: blocks with overrides and calls, and how to run them."""
    given = fields(json_object(value), SIMULATE_MEMBERS)
    return SimulateRequest(
        blocks=member(_simulated_blocks, given, "blockStateCalls", node) or (),
        validation=bool(member(boolean, given, "validation", node)),
        transfers=bool(member(boolean, given, "traceTransfers", node)),
        full=bool(member(boolean, given, "returnFullTransactions", node)),
    )


def _simulated_blocks(value: object, node: Node) -> tuple[BlockRequest, ...]:
    if not isinstance(value, list):
        raise wrong_kind("an array", value)
    return tuple(_simulated_block(each, node) for each in value)


def _simulated_block(value: object, node: Node) -> BlockRequest:
    given = fields(json_object(value), {"blockOverrides", "stateOverrides", "calls"})
    header = member(block_override, given, "blockOverrides", node) or NO_BLOCK_OVERRIDE
    if header.hashes:
        msg = "blockOverrides: blockHash is not supported here: simulated blocks have their own"
        raise InvalidParams(msg)
    return BlockRequest(
        header=header,
        state=member(state_overrides, given, "stateOverrides", node) or {},
        calls=member(_calls, given, "calls", node) or (),
    )


def _calls(value: object, node: Node) -> tuple[TransactionRequest, ...]:
    if not isinstance(value, list):
        raise wrong_kind("an array", value)
    return tuple(transaction_request(each, node) for each in value)


def _block_hashes(value: object, node: Node) -> dict[int, Hash32]:
    return {uint64(key, node): hash32(each, node) for key, each in json_object(value).items()}


def _slots(value: object, node: Node) -> dict[int, int]:
    return {quantity(key, node): quantity(each, node) for key, each in json_object(value).items()}


def log_query(value: object, node: Node) -> LogQuery:
    """Log filter options: `fromBlock`, `toBlock`, `blockHash`, `address`, `topics`."""
    given = {key: each for key, each in json_object(value).items() if each is not None}
    if "blockHash" in given and ("fromBlock" in given or "toBlock" in given):
        msg = "cannot specify both blockHash and fromBlock/toBlock: choose one or the other"
        raise InvalidParams(msg)
    return LogQuery(
        from_block=member(block_ref, given, "fromBlock", node),
        to_block=member(block_ref, given, "toBlock", node),
        block_hash=member(hash32, given, "blockHash", node),
        addresses=member(_addresses, given, "address", node) or frozenset(),
        topics=member(_topics, given, "topics", node) or (),
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
    given = fields(value, {"blocks", "timestamp"})
    blocks = member(loose, given, "blocks", node)
    return MineRequest(
        blocks=1 if blocks is None else blocks,
        timestamp=member(loose, given, "timestamp", node),
    )


def placed_transaction(value: object, node: Node) -> PlacedTransaction:
    """A pair of a transaction, as raw DATA or a call object, and the new block it goes into."""
    if not isinstance(value, list) or len(value) != PAIR:
        msg = "want a pair: a transaction and the number of the new block it goes into"
        raise InvalidParams(msg)
    given, block = value
    decode = data if isinstance(given, str) else transaction_request
    return PlacedTransaction(decode(given, node), loose(block, node))
