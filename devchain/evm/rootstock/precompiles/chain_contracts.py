"""Precompiled contracts that tell of the chain: BlockHeader, Environment, REMASC.

BlockHeader (RSKIP119) has the header fields of earlier blocks, by depth, Environment (RSKIP203) the
depth of the call stack. REMASC has its debugging state alone: fees are distributed by `chain`, in
the last transaction of a block, which no call is part of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rlp
from rlp.codec import length_prefix

from devchain.evm.rootstock.precompiles.native_contract import (
    SELECTOR,
    Call,
    Method,
    NativeContract,
    PrecompileFailed,
)
from devchain.types import Address

GAS = 4000
MAXIMUM_DEPTH = 4000
INT16 = 2**15
TAG = b"RSKBLOCK:"
TAGGED_HASH = 32

# BlockHeader


def _block(call: Call, depth: int) -> Any:
    if not -INT16 <= depth < INT16:
        return None
    if depth < 0:
        raise PrecompileFailed(f"a block depth is not negative: {depth}")
    context: Any = call.computation.state.execution_context
    parent, view = next(iter(context.prev_hashes), None), getattr(context, "view", None)
    if depth >= MAXIMUM_DEPTH or parent is None or view is None:
        return None
    return view.find_ancestor(parent, depth)


def _getter(name: str, read: Callable[[Any], bytes | int], since: str | int = "orchid") -> Method:
    def execute(call: Call, depth: int) -> bytes:
        block = _block(call, depth)
        if block is None:
            return b""
        value = read(block)
        if isinstance(value, int):
            return value.to_bytes(value.bit_length() // 8 + 1)
        return bytes(value)

    return Method(f"{name}(int256) -> bytes", GAS, execute, since=since)


def _bitcoin_header(block: Any) -> bytes:
    proof = getattr(block, "merged_mining", None)
    return bytes(proof.header if proof else block.header.bitcoin_merged_mining_header)


def _merged_mining_tags(block: Any) -> bytes:
    proof = getattr(block, "merged_mining", None)
    _, tag, rest = bytes(proof.coinbase if proof else b"").rpartition(TAG)
    return rest[TAGGED_HASH:] if tag else b""


def _uncle_coinbase(call: Call, depth: int, index: int) -> bytes:
    block = _block(call, depth)
    if block is None or not -INT16 <= index < INT16:
        return b""
    if index < 0:
        raise PrecompileFailed(f"an uncle index is not negative: {index}")
    uncle = block.uncle(index)
    return b"" if uncle is None else bytes(uncle.header.coinbase)


BLOCK_HEADER = NativeContract(
    "BlockHeader",
    (
        _getter("getCoinbaseAddress", lambda block: block.header.coinbase),
        _getter("getBlockHash", lambda block: block.header.hash),
        _getter("getMergedMiningTags", _merged_mining_tags),
        _getter("getMinGasPrice", lambda block: block.header.minimum_gas_price),
        _getter("getGasLimit", lambda block: block.header.gas_limit),
        _getter("getGasUsed", lambda block: block.header.gas_used),
        _getter("getDifficulty", lambda block: block.header.difficulty),
        _getter("getBitcoinHeader", _bitcoin_header),
        Method("getUncleCoinbaseAddress(int256,int256) -> bytes", GAS, _uncle_coinbase),
        _getter("getCumulativeWork", lambda block: block.total_difficulty, 536),
        _getter("getDifficultyWithUncles", lambda block: block.difficulty_with_uncles, 536),
    ),
    gas_per_byte=2,
)

# Environment and REMASC

ENVIRONMENT = NativeContract(
    "Environment",
    (Method("getCallStackDepth() -> uint32", 0, lambda call: max(1, call.computation.msg.depth)),),
)

REMASC_ADDRESS = Address(bytes.fromhex("0000000000000000000000000000000001000008"))
"""The account that fees go to, and the contract that the closing transaction calls."""
_EMPTY_LIST = 0xC0  # first byte of the RLP of an empty list


def _process_fees(_: Call) -> None:
    raise PrecompileFailed("REMASC works in the last transaction of a block only")


def _debugging_state(call: Call) -> bytes:
    rewards, burned, broken = (
        call.computation.state.get_storage(REMASC_ADDRESS, int.from_bytes(name))
        for name in (b"rewardBalance", b"burnedBalance", b"brokenSelectionRule")
    )
    payload = rlp.encode(rewards) + rlp.encode(burned) + rlp.encode([]) + bytes([broken != 0])
    return bytes(length_prefix(len(payload), _EMPTY_LIST) + payload)


def _check_size(call: Call, method: Method) -> None:
    if len(call.payload) > SELECTOR:
        raise PrecompileFailed(f"REMASC.{method.name} takes no arguments")


REMASC = NativeContract(
    "REMASC",
    (
        Method("processMinersFees()", 0, _process_fees),
        Method("getStateForDebugging() -> bytes", 0, _debugging_state),
    ),
    default="processMinersFees()",
    check=_check_size,
)
