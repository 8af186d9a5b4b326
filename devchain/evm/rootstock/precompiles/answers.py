"""What the Bridge's methods answer, and what some of them cost."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import rlp

from devchain.evm.rootstock.precompiles.abi import Call, NativeContractError, int32
from devchain.evm.rootstock.precompiles.peg import peg

HEADERS_GAS, HEADER_GAS = 25_000, 3_500
CONFIRMATIONS_GAS, HASH_GAS = 27_000, 144

KEY_TYPES = {"btc", "rsk", "mst"}

# Encodings of nothing: of a list in a list, and of the parts of the debugging state.
EMPTY_STATE = rlp.encode([[]])
EMPTY_LIST = rlp.encode([])
EMPTY_NUMBER = rlp.encode(0)


def of_peg(name: str) -> Callable[[Call], Any]:
    """That property of the peg."""
    return lambda call: getattr(peg(call), name)


def key_of_type(answer: Callable[[Call, int], bytes]) -> Callable[..., bytes]:
    """Takes an index and `btc`, `rsk` or `mst`; a genesis federator's three keys are the same."""

    def typed(call: Call, index: int, kind: str) -> bytes:
        if kind not in KEY_TYPES:
            msg = f"a federator's key is of type btc, rsk or mst, not {kind[:64]!r}"
            raise NativeContractError(msg)
        return answer(call, int32(index))

    return typed


def federator(call: Call, index: int) -> bytes:
    """One of the public keys."""
    return peg(call).key(int32(index))


def creation_time(call: Call) -> int:
    """In seconds, before Lovell (RSKIP419) in milliseconds."""
    created = peg(call).created
    return created // 1000 if call.since("lovell") else created


def minimum_pegin(call: Call) -> int:
    """In satoshis (RSKIP219)."""
    return 500_000 if call.since("iris") else 1_000_000


def processed(answer: Any) -> Callable[..., Any]:
    """That of a transaction no bridge has seen; refuses what is no hash."""

    def told(_: Call, transaction: str) -> Any:
        if not re.fullmatch("[0-9a-f]{64}", transaction):
            msg = f"not the hash of a bitcoin transaction: {transaction[:64]!r}"
            raise NativeContractError(msg)
        return answer

    return told


def block_hash(call: Call, depth: int) -> bytes:
    """That of the known block, at depth 0."""
    if int32(depth) != 0:
        raise NativeContractError("the bridge knows one bitcoin block: the depth has to be 0")
    return peg(call).block_hash


def header_by_hash(call: Call, block: bytes) -> bytes:
    """The known block, or nothing."""
    return peg(call).block if block == peg(call).block_hash else b""


def header_by_height(call: Call, height: int) -> bytes:
    """The known block, or nothing."""
    return peg(call).block if int32(height) == peg(call).height else b""


def confirmations(call: Call, leaf: bytes, block: bytes, path: int, branch: list[bytes]) -> int:
    """How many blocks, or which error."""
    return peg(call).confirmations(leaf, block, int32(path), branch)


def confirmations_gas(call: Call, leaf: bytes, block: bytes, path: int, branch: list[bytes]) -> int:
    """More for a longer branch, if there is such a block."""
    del leaf, path
    known = block == peg(call).block_hash
    return CONFIRMATIONS_GAS + (HASH_GAS * len(branch) if known else 0)


def headers_gas(call: Call, headers: list[bytes]) -> int:
    """More for every header after the first."""
    del call
    return HEADERS_GAS + HEADER_GAS * max(0, len(headers) - 1)


def debugging_state(call: Call) -> bytes:
    """Best height, then no funds, signatures, requests or peg-outs, and no next peg-out."""
    empty = [EMPTY_LIST] * 4
    return bytes(rlp.encode([peg(call).height, *empty, EMPTY_NUMBER]))


def no_key(call: Call, index: int, kind: str) -> bytes:
    """Nothing, if the type is one."""
    return key_of_type(lambda *_: b"")(call, index, kind)
