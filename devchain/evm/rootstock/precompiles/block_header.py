"""The BlockHeader precompile (RSKIP119): header fields of earlier blocks, by depth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devchain.evm.rootstock.exceptions import PrecompileFailed
from devchain.evm.rootstock.precompiles.native_contract import Call, Method, NativeContract

GAS = 4000
GAS_PER_BYTE = 2
MAXIMUM_DEPTH = 4000
INT16 = 2**15

TAG = b"RSKBLOCK:"
TAGGED_HASH = 32


def _getter(name: str, read: Callable[[Any], bytes], since: str = "orchid") -> Method:

    def execute(call: Call, depth: int) -> bytes:
        block = _block(call, depth)
        return b"" if block is None else read(block)

    return Method(f"{name}(int256) -> bytes", GAS, execute, since=since)


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


def _number(value: int) -> bytes:
    return value.to_bytes(value.bit_length() // 8 + 1, "big")


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
        _getter("getCoinbaseAddress", lambda block: bytes(block.header.coinbase)),
        _getter("getBlockHash", lambda block: bytes(block.header.hash)),
        _getter("getMergedMiningTags", _merged_mining_tags),
        _getter("getMinGasPrice", lambda block: _number(block.header.minimum_gas_price)),
        _getter("getGasLimit", lambda block: _number(block.header.gas_limit)),
        _getter("getGasUsed", lambda block: _number(block.header.gas_used)),
        _getter("getDifficulty", lambda block: _number(block.header.difficulty)),
        _getter("getBitcoinHeader", _bitcoin_header),
        Method("getUncleCoinbaseAddress(int256,int256) -> bytes", GAS, _uncle_coinbase),
        _getter("getCumulativeWork", lambda block: _number(block.total_difficulty), "reed810"),
        _getter(
            "getDifficultyWithUncles",
            lambda block: _number(block.difficulty_with_uncles),
            "reed810",
        ),
    ),
    gas_per_byte=GAS_PER_BYTE,
)
