"""Methods of the Bridge about federations: the genesis federation, which votes do not change here.

An account that may vote on the federation's change gets a failure, any other the real node's code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eth_hash.auto import keccak
from eth_keys.datatypes import PublicKey
from eth_utils.exceptions import ValidationError

from devchain.errors import UpstreamAnswerInvalid
from devchain.evm.rootstock.precompiles.bridge.methods import (
    MISSING,
    UNAUTHORIZED,
    local,
    peg_of,
    powpeg,
    reading,
    unsupported,
    writing,
)
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS
from devchain.evm.rootstock.precompiles.native_contract import (
    SELECTOR,
    Call,
    Method,
    PrecompileFailed,
    decode,
    encode_all,
    int32,
)
from devchain.evm.rootstock.precompiles.powpeg import CREATION_BLOCK
from devchain.types import Address

if TYPE_CHECKING:
    from devchain.state.upstream_state import UpstreamState  # which imports the upstream's client

SIZE = keccak(b"getFederationSize()")[:SELECTOR]
KEY_OF_TYPE = keccak(b"getFederatorPublicKeyOfType(int256,string)")[:SELECTOR]
LARGEST_FEDERATION = 100  # more members would not fit into a peg-out transaction
KEY_TYPES = {"btc", "rsk", "mst"}


def _federator_key(call: Call, index: int) -> bytes:
    return peg_of(call).key(int32(index))


def _key_of_type(call: Call, index: int, kind: str) -> bytes:
    _check_key_type(kind)
    return _federator_key(call, index)


def _no_key(_: Call, _index: int, kind: str) -> bytes:
    _check_key_type(kind)
    return b""


def _check_key_type(kind: str) -> None:
    if kind not in KEY_TYPES:
        raise PrecompileFailed(f"a federator's key is of type btc, rsk or mst, not {kind[:64]!r}")


def _creation_time(call: Call) -> int:
    created = peg_of(call).created
    return created // 1000 if call.since("lovell") else created


def _vote(declaration: str, gas: int, *since: str) -> Method:
    def answer(call: Call, *_: Any) -> int:
        if call.sender not in peg_of(call).authorizers.federation:
            return UNAUTHORIZED
        raise unsupported(declaration.partition("(")[0], "change the federation")

    return writing(declaration, gas, answer, *since)


def federators_of(upstream: UpstreamState) -> tuple[Address, ...]:
    """The accounts of the federation of a forked chain, to which REMASC pays.

    Raises `UpstreamAnswerInvalid` for what is no federation.
    """
    size = int.from_bytes(upstream.call(ADDRESS, SIZE))
    if not 0 < size <= LARGEST_FEDERATION:
        raise UpstreamAnswerInvalid(f"the upstream's Bridge has a federation of {size} members")
    requests = [
        KEY_OF_TYPE + encode_all(("int256", "string"), (index, "rsk")) for index in range(size)
    ]
    upstream.need_calls(ADDRESS, requests)
    return tuple(_account_of_key(upstream.call(ADDRESS, request)) for request in requests)


def _account_of_key(output: bytes) -> Address:
    try:
        (raw,) = decode(("bytes",), output)
        key = PublicKey.from_compressed_bytes(raw)
    except (ValueError, ValidationError) as error:
        raise UpstreamAnswerInvalid(
            "what the upstream's Bridge returns for a federator is no public key"
        ) from error
    return Address(key.to_canonical_address())


METHODS = (
    local("getFederationAddress() -> string", 11_000, powpeg("address")),
    local("getFederationCreationBlockNumber() -> int256", 10_000, CREATION_BLOCK),
    local("getFederationCreationTime() -> int256", 10_000, _creation_time),
    local("getFederationSize() -> int256", 10_000, powpeg("size")),
    local("getFederationThreshold() -> int256", 11_000, powpeg("threshold")),
    local("getFederatorPublicKey(int256) -> bytes", 10_000, _federator_key, "orchid", "wasabi"),
    local("getFederatorPublicKeyOfType(int256,string) -> bytes", 10_000, _key_of_type, "wasabi"),
    reading(
        "getActivePowpegRedeemScript() -> bytes", 30_000, powpeg("redeem_script"), "fingerroot"
    ),
    reading("getActiveFederationCreationBlockHeight() -> uint256", 3_000, 0, "iris"),
    local("getPendingFederationHash() -> bytes", 3_000, b""),
    local("getPendingFederationSize() -> int256", 3_000, MISSING),
    local("getPendingFederatorPublicKey(int256) -> bytes", 3_000, b"", "orchid", "wasabi"),
    local("getPendingFederatorPublicKeyOfType(int256,string) -> bytes", 3_000, _no_key, "wasabi"),
    local("getRetiringFederationAddress() -> string", 3_000, ""),
    local("getRetiringFederationCreationBlockNumber() -> int256", 3_000, MISSING),
    local("getRetiringFederationCreationTime() -> int256", 3_000, MISSING),
    local("getRetiringFederationSize() -> int256", 3_000, MISSING),
    local("getRetiringFederationThreshold() -> int256", 3_000, MISSING),
    local("getRetiringFederatorPublicKey(int256) -> bytes", 3_000, b"", "orchid", "wasabi"),
    local("getRetiringFederatorPublicKeyOfType(int256,string) -> bytes", 3_000, _no_key, "wasabi"),
    local("getProposedFederationAddress() -> string", 3_000, "", "lovell"),
    local("getProposedFederationSize() -> int256", 3_000, MISSING, "lovell"),
    local("getProposedFederationCreationTime() -> int256", 3_000, MISSING, "lovell"),
    local("getProposedFederationCreationBlockNumber() -> int256", 3_000, MISSING, "lovell"),
    local("getProposedFederatorPublicKeyOfType(int256,string) -> bytes", 3_000, _no_key, "lovell"),
    _vote("createFederation() -> int256", 11_000),
    _vote("addFederatorPublicKey(bytes) -> int256", 13_000, "orchid", "wasabi"),
    _vote("addFederatorPublicKeyMultikey(bytes,bytes,bytes) -> int256", 13_000, "wasabi"),
    _vote("commitFederation(bytes) -> int256", 38_000),
    _vote("rollbackFederation() -> int256", 12_000),
)
