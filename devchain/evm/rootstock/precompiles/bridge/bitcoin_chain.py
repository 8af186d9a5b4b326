"""Methods of the Bridge about the Bitcoin chain: it has one block, the first one of its network.

Headers that do not extend that block get the real node's answers; one that does fails, since later
blocks are not kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from devchain.evm.rootstock.precompiles.bitcoin import PartialMerkleTree, double_sha256, merkle_root
from devchain.evm.rootstock.precompiles.bridge.methods import (
    MISSING,
    call_upstream,
    local,
    peg_of,
    powpeg,
    reading,
    require_federator,
    unsupported,
    writing,
)
from devchain.evm.rootstock.precompiles.native_contract import Call, PrecompileFailed, int32

HEADERS_GAS, HEADER_GAS = 25_000, 3_500
CONFIRMATIONS_GAS, DEPTH_GAS, HASH_GAS = 27_000, 315, 144

HEADER_SIZE = 80
LARGEST_HEADER_BEFORE_WASABI = 85

# Answers of getBtcTransactionConfirmations.
BLOCK_NOT_FOUND = -1
BLOCK_TOO_OLD = -4
MERKLE_BRANCH_INVALID = -5

# Answers of receiveHeader.
PREVIOUS_BLOCK_MISSING = -3
BLOCK_KNOWN = -4
HEADER_SIZE_WRONG = -20
HEADER_INVALID = -99


# Reading


def _for_unprocessed(answer: Any) -> Callable[..., Any]:

    def check_hash(_: Call, transaction: str) -> Any:
        if not re.fullmatch("[0-9a-f]{64}", transaction):
            raise PrecompileFailed(f"not the hash of a bitcoin transaction: {transaction[:64]!r}")
        return answer

    return check_hash


def _block_hash(call: Call, depth: int) -> bytes:
    if int32(depth) != 0:
        raise PrecompileFailed("the bridge has one bitcoin block: the depth has to be 0")
    return peg_of(call).block_hash


def _header_by_hash(call: Call, block: bytes) -> bytes:
    return peg_of(call).block if block == peg_of(call).block_hash else b""


def _header_by_height(call: Call, height: int) -> bytes:
    return peg_of(call).block if int32(height) == peg_of(call).height else b""


def _confirmations(call: Call, leaf: bytes, block: bytes, path: int, branch: list[bytes]) -> int:
    peg, root = peg_of(call), merkle_root(leaf, int32(path), branch)
    if block != peg.block_hash:
        return BLOCK_NOT_FOUND
    return 1 if root == peg.block[36:68][::-1] else MERKLE_BRANCH_INVALID


def _confirmations_gas(
    call: Call, _leaf: bytes, block: bytes, _path: int, branch: list[bytes]
) -> int:
    if call.upstream is None:
        exists = block == peg_of(call).block_hash
        return CONFIRMATIONS_GAS + (HASH_GAS * len(branch) if exists else 0)
    # For a block without the transaction the depth does not follow, and is taken as 0.
    try:
        output = call_upstream(call.upstream, "getBtcTransactionConfirmations", call.payload)
    except PrecompileFailed:
        return CONFIRMATIONS_GAS
    answer = int.from_bytes(output, signed=True)
    if answer in {BLOCK_NOT_FOUND, BLOCK_TOO_OLD}:
        return CONFIRMATIONS_GAS
    return CONFIRMATIONS_GAS + max(0, answer - 1) * DEPTH_GAS + HASH_GAS * len(branch)


# Headers


def _headers_gas(_: Call, headers: list[memoryview]) -> int:
    return HEADERS_GAS + HEADER_GAS * max(0, len(headers) - 1)


def _has_proof_of_work(call: Call, header: bytes | memoryview) -> bool:
    bits = int.from_bytes(header[72:76], "little")
    exponent, mantissa = bits >> 24, bits & 0x7FFFFF
    target = mantissa << 8 * (exponent - 3) if exponent > 3 else mantissa >> 8 * (3 - exponent)
    is_possible = not bits & 0x800000 and 0 < target <= peg_of(call).easiest_target
    return is_possible and int.from_bytes(double_sha256(header), "little") <= target


def _receive_header(call: Call, header: bytes) -> int:
    if len(header) != HEADER_SIZE:
        return HEADER_SIZE_WRONG
    if double_sha256(header)[::-1] == peg_of(call).block_hash:
        return BLOCK_KNOWN
    if header[4:36][::-1] != peg_of(call).block_hash:
        return PREVIOUS_BLOCK_MISSING
    if not _has_proof_of_work(call, header):
        return HEADER_INVALID
    raise unsupported("receiveHeader", "extend the bridge's chain of bitcoin blocks")


def _receive_headers(call: Call, headers: list[memoryview]) -> None:
    # Open to everybody from Wasabi up to Papyrus (RSKIP124, RSKIP200).
    if not call.since("wasabi") or call.since("iris"):
        require_federator(call)
    largest = HEADER_SIZE if call.since("wasabi") else LARGEST_HEADER_BEFORE_WASABI
    if not all(HEADER_SIZE <= len(header) <= largest for header in headers):
        raise PrecompileFailed(f"the header of a bitcoin block has {HEADER_SIZE} bytes")
    for header in headers:
        extends = header[4:36][::-1] == peg_of(call).block_hash
        if extends and _has_proof_of_work(call, header[:HEADER_SIZE]):
            raise unsupported("receiveHeaders", "extend the bridge's chain of bitcoin blocks")


def _register_coinbase(call: Call, coinbase: bytes, block: bytes, tree: bytes, *_: bytes) -> None:
    # As in the real node, a proof of other transactions or of another block is ignored.
    try:
        root, proven = PartialMerkleTree(tree).prove()
    except ValueError as error:
        raise PrecompileFailed(f"Bridge.registerBtcCoinbaseTransaction: {error}") from error
    if double_sha256(coinbase)[::-1] not in proven:
        return
    if block != peg_of(call).block_hash:
        raise PrecompileFailed(f"the bridge does not have the bitcoin block {block.hex()}")
    if root == peg_of(call).block[36:68][::-1]:
        raise unsupported("registerBtcCoinbaseTransaction", "register coinbase transactions")


METHODS = (
    local(
        "getBtcBlockchainBestChainHeight() -> int256", 19_000, powpeg("height"), "orchid", "iris"
    ),
    reading("getBtcBlockchainBestChainHeight() -> int256", 19_000, powpeg("height"), "iris"),
    local("getBtcBlockchainInitialBlockHeight() -> int256", 20_000, powpeg("height")),
    local("getBtcBlockchainBlockHashAtDepth(int256) -> bytes", 20_000, _block_hash),
    reading("getBtcBlockchainBestBlockHeader() -> bytes", 3_800, powpeg("block"), "iris"),
    reading("getBtcBlockchainBlockHeaderByHash(bytes32) -> bytes", 4_600, _header_by_hash, "iris"),
    reading(
        "getBtcBlockchainBlockHeaderByHeight(uint256) -> bytes", 5_000, _header_by_height, "iris"
    ),
    reading("getBtcBlockchainParentBlockHeaderByHash(bytes32) -> bytes", 4_900, b"", "iris"),
    reading(
        "getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[]) -> int256",
        _confirmations_gas,
        _confirmations,
        "wasabi",
    ),
    local("getBtcTxHashProcessedHeight(string) -> int64", 22_000, _for_unprocessed(MISSING)),
    local("isBtcTxHashAlreadyProcessed(string) -> bool", 23_000, _for_unprocessed(answer=False)),
    reading(
        "hasBtcBlockCoinbaseTransactionInformation(bytes32) -> bool",
        5_000,
        False,  # noqa: FBT003  # the constant answer
        "papyrus",
    ),
    writing("receiveHeaders(bytes[])", 22_000, _receive_headers, "orchid", "wasabi"),
    writing("receiveHeaders(bytes[])", _headers_gas, _receive_headers, "wasabi"),
    writing("receiveHeader(bytes) -> int256", 10_600, _receive_header, "iris"),
    writing(
        "registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)",
        10_000,
        _register_coinbase,
        "papyrus",
    ),
)
