"""The Bridge precompile: the two-way peg with Bitcoin, in the state in which a network starts.

Methods that read describe the genesis federation and a bridge without peg-ins; methods that write
fail, since a development chain has no federation. The tables at the end list every method with its
ABI, gas and upgrades: `_local` methods can be called by `eth_call` only, `_reading` methods also in
transactions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import rlp

from devchain.evm.rootstock.exceptions import PrecompileFailed
from devchain.evm.rootstock.precompiles.native_contract import Call, Method, NativeContract, int32
from devchain.evm.rootstock.precompiles.powpeg import CREATION_BLOCK, Powpeg, powpeg_of
from devchain.types import ZERO_ADDRESS

GAS_PER_BYTE = 2
RELEASE_GAS = 23_000
MISSING = -1
UNION_LOCKING_CAP = 10**18
HEADERS_GAS, HEADER_GAS = 25_000, 3_500
CONFIRMATIONS_GAS, HASH_GAS = 27_000, 144

KEY_TYPES = {"btc", "rsk", "mst"}

# RLP of an empty list in a list, and of the empty parts of the debugging state.
EMPTY_STATE = rlp.encode([[]])
EMPTY_LIST = rlp.encode([])
EMPTY_NUMBER = rlp.encode(0)


def _peg(call: Call) -> Powpeg:
    return powpeg_of(call.computation.state.execution_context.chain_id)


def _powpeg(name: str) -> Callable[[Call], Any]:
    """A method that returns that property of the powpeg."""
    return lambda call: getattr(_peg(call), name)


def _federator_key(call: Call, index: int) -> bytes:
    return _peg(call).key(int32(index))


def _federator_key_of_type(call: Call, index: int, kind: str) -> bytes:
    """The key of type `btc`, `rsk` or `mst`: of genesis federators all three are the same."""
    _check_key_type(kind)
    return _federator_key(call, index)


def _no_key_of_type(call: Call, index: int, kind: str) -> bytes:
    """The key of a federator of a federation that does not exist."""
    del call, index
    _check_key_type(kind)
    return b""


def _check_key_type(kind: str) -> None:
    if kind not in KEY_TYPES:
        raise PrecompileFailed(f"a federator's key is of type btc, rsk or mst, not {kind[:64]!r}")


def _creation_time(call: Call) -> int:
    """Creation time of the federation in seconds; in milliseconds before Lovell (RSKIP419)."""
    created = _peg(call).created
    return created // 1000 if call.since("lovell") else created


def _minimum_pegin(call: Call) -> int:
    """The smallest peg-in in satoshis (RSKIP219)."""
    return 500_000 if call.since("iris") else 1_000_000


def _for_unprocessed(answer: Any) -> Callable[..., Any]:
    """A method that takes a Bitcoin transaction hash and returns `answer`: none was processed."""

    def check_hash(_: Call, transaction: str) -> Any:
        if not re.fullmatch("[0-9a-f]{64}", transaction):
            raise PrecompileFailed(f"not the hash of a bitcoin transaction: {transaction[:64]!r}")
        return answer

    return check_hash


def _block_hash(call: Call, depth: int) -> bytes:
    if int32(depth) != 0:
        raise PrecompileFailed("the bridge has one bitcoin block: the depth has to be 0")
    return _peg(call).block_hash


def _header_by_hash(call: Call, block: bytes) -> bytes:
    return _peg(call).block if block == _peg(call).block_hash else b""


def _header_by_height(call: Call, height: int) -> bytes:
    return _peg(call).block if int32(height) == _peg(call).height else b""


def _confirmations(call: Call, leaf: bytes, block: bytes, path: int, branch: list[bytes]) -> int:
    return _peg(call).confirmations(leaf, block, int32(path), branch)


def _confirmations_gas(
    call: Call, leaf: bytes, block: bytes, path: int, branch: list[bytes]
) -> int:
    """Base cost, plus a cost per hash of the branch if the block exists."""
    del leaf, path
    exists = block == _peg(call).block_hash
    return CONFIRMATIONS_GAS + (HASH_GAS * len(branch) if exists else 0)


def _headers_gas(call: Call, headers: list[bytes]) -> int:
    """Base cost, plus a cost per header after the first."""
    del call
    return HEADERS_GAS + HEADER_GAS * max(0, len(headers) - 1)


def _debugging_state(call: Call) -> bytes:
    """RLP of the best height and of empty UTXOs, signatures, requests and peg-outs."""
    return bytes(rlp.encode([_peg(call).height, *[EMPTY_LIST] * 4, EMPTY_NUMBER]))


def _reading(
    declaration: str,
    gas: int | Callable[..., int],
    answer: Any,
    since: str = "orchid",
    until: str | None = None,
) -> Method:
    """A method that changes nothing; `answer` is a function of the call or a constant."""
    return Method(declaration, gas, answer if callable(answer) else lambda *_: answer, since, until)


def _local(
    declaration: str, gas: int, answer: Any, since: str = "orchid", until: str | None = None
) -> Method:
    """A method that reads and can be called by `eth_call` only."""
    return replace(_reading(declaration, gas, answer, since, until), local_only=True)


def _writing(
    declaration: str, gas: int | Callable[..., int], since: str = "orchid", until: str | None = None
) -> Method:
    """A method that would change the bridge; it charges gas and fails."""
    name = declaration.partition("(")[0]

    def fail(*_: Any) -> None:
        raise PrecompileFailed(
            f"Bridge.{name} needs the peg to bitcoin, which a development chain does not have"
        )

    return Method(declaration, gas, fail, since, until, accepts_static=False)


def _check(call: Call, method: Method) -> None:
    """Reject CALLCODE and DELEGATECALL, and STATICCALL of methods that write (RSKIP417)."""
    if not call.since("arrowhead"):
        return
    if call.is_delegated:
        raise PrecompileFailed(f"Bridge.{method.name} is not for CALLCODE or DELEGATECALL")
    if call.computation.msg.is_static and not method.accepts_static:
        raise PrecompileFailed(f"Bridge.{method.name} is not for STATICCALL")


_FEDERATION = (
    _local("getFederationAddress() -> string", 11_000, _powpeg("address")),
    _local("getFederationCreationBlockNumber() -> int256", 10_000, CREATION_BLOCK),
    _local("getFederationCreationTime() -> int256", 10_000, _creation_time),
    _local("getFederationSize() -> int256", 10_000, _powpeg("size")),
    _local("getFederationThreshold() -> int256", 11_000, _powpeg("threshold")),
    _local("getFederatorPublicKey(int256) -> bytes", 10_000, _federator_key, until="wasabi"),
    _local(
        "getFederatorPublicKeyOfType(int256,string) -> bytes",
        10_000,
        _federator_key_of_type,
        "wasabi",
    ),
    _reading(
        "getActivePowpegRedeemScript() -> bytes",
        30_000,
        _powpeg("redeem_script"),
        "fingerroot",
    ),
    _reading("getActiveFederationCreationBlockHeight() -> uint256", 3_000, 0, "iris"),
    _local("getPendingFederationHash() -> bytes", 3_000, b""),
    _local("getPendingFederationSize() -> int256", 3_000, MISSING),
    _local("getPendingFederatorPublicKey(int256) -> bytes", 3_000, b"", until="wasabi"),
    _local(
        "getPendingFederatorPublicKeyOfType(int256,string) -> bytes",
        3_000,
        _no_key_of_type,
        "wasabi",
    ),
    _local("getRetiringFederationAddress() -> string", 3_000, ""),
    _local("getRetiringFederationCreationBlockNumber() -> int256", 3_000, MISSING),
    _local("getRetiringFederationCreationTime() -> int256", 3_000, MISSING),
    _local("getRetiringFederationSize() -> int256", 3_000, MISSING),
    _local("getRetiringFederationThreshold() -> int256", 3_000, MISSING),
    _local("getRetiringFederatorPublicKey(int256) -> bytes", 3_000, b"", until="wasabi"),
    _local(
        "getRetiringFederatorPublicKeyOfType(int256,string) -> bytes",
        3_000,
        _no_key_of_type,
        "wasabi",
    ),
    _local("getProposedFederationAddress() -> string", 3_000, "", "lovell"),
    _local("getProposedFederationSize() -> int256", 3_000, MISSING, "lovell"),
    _local("getProposedFederationCreationTime() -> int256", 3_000, MISSING, "lovell"),
    _local("getProposedFederationCreationBlockNumber() -> int256", 3_000, MISSING, "lovell"),
    _local(
        "getProposedFederatorPublicKeyOfType(int256,string) -> bytes",
        3_000,
        _no_key_of_type,
        "lovell",
    ),
    _writing("createFederation() -> int256", 11_000),
    _writing("addFederatorPublicKey(bytes) -> int256", 13_000, until="wasabi"),
    _writing("addFederatorPublicKeyMultikey(bytes,bytes,bytes) -> int256", 13_000, "wasabi"),
    _writing("commitFederation(bytes) -> int256", 38_000),
    _writing("rollbackFederation() -> int256", 12_000),
)

_BITCOIN_CHAIN = (
    _local(
        "getBtcBlockchainBestChainHeight() -> int256",
        19_000,
        _powpeg("height"),
        until="iris",
    ),
    _reading("getBtcBlockchainBestChainHeight() -> int256", 19_000, _powpeg("height"), "iris"),
    _local("getBtcBlockchainInitialBlockHeight() -> int256", 20_000, _powpeg("height")),
    _local("getBtcBlockchainBlockHashAtDepth(int256) -> bytes", 20_000, _block_hash),
    _reading("getBtcBlockchainBestBlockHeader() -> bytes", 3_800, _powpeg("block"), "iris"),
    _reading("getBtcBlockchainBlockHeaderByHash(bytes32) -> bytes", 4_600, _header_by_hash, "iris"),
    _reading(
        "getBtcBlockchainBlockHeaderByHeight(uint256) -> bytes",
        5_000,
        _header_by_height,
        "iris",
    ),
    _reading("getBtcBlockchainParentBlockHeaderByHash(bytes32) -> bytes", 4_900, b"", "iris"),
    _reading(
        "getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[]) -> int256",
        _confirmations_gas,
        _confirmations,
        "wasabi",
    ),
    _local("getBtcTxHashProcessedHeight(string) -> int64", 22_000, _for_unprocessed(MISSING)),
    _local("isBtcTxHashAlreadyProcessed(string) -> bool", 23_000, _for_unprocessed(answer=False)),
    _reading(
        "hasBtcBlockCoinbaseTransactionInformation(bytes32) -> bool",
        5_000,
        False,  # noqa: FBT003  # the constant answer
        "papyrus",
    ),
    _writing("receiveHeaders(bytes[])", 22_000, until="wasabi"),
    _writing("receiveHeaders(bytes[])", _headers_gas, "wasabi"),
    _writing("receiveHeader(bytes) -> int256", 10_600, "iris"),
    _writing(
        "registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)", 10_000, "papyrus"
    ),
)

_TRANSFERS = (
    _local("getFeePerKb() -> int256", 2_000, _powpeg("fee_per_kilobyte")),
    _local("getMinimumLockTxValue() -> int256", 2_000, _minimum_pegin),
    _local("getLockingCap() -> int256", 3_000, _powpeg("locking_cap"), "papyrus"),
    _local("getLockWhitelistAddress(int256) -> string", 16_000, ""),
    _local("getLockWhitelistEntryByAddress(string) -> int256", 16_000, MISSING),
    _local("getLockWhitelistSize() -> int256", 16_000, 0),
    _local("getStateForBtcReleaseClient() -> bytes", 4_000, EMPTY_STATE),
    _local("getStateForSvpClient() -> bytes", 4_000, EMPTY_STATE, "lovell"),
    _local("getStateForDebugging() -> bytes", 3_000_000, _debugging_state),
    _reading("getNextPegoutCreationBlockNumber() -> uint256", 3_000, 0, "fingerroot"),
    _reading("getQueuedPegoutsCount() -> uint256", 3_000, 0, "fingerroot"),
    _reading(
        "getEstimatedFeesForNextPegOutEvent() -> uint256",
        10_000,
        _powpeg("pegout_fee"),
        "fingerroot",
    ),
    _writing("addOneOffLockWhitelistAddress(string,int256) -> int256", 25_000),
    _writing("addUnlimitedLockWhitelistAddress(string) -> int256", 25_000),
    _writing("removeLockWhitelistAddress(string) -> int256", 24_000),
    _writing("setLockWhitelistDisableBlockDelay(int256) -> int256", 24_000),
    _writing("addSignature(bytes,bytes[],bytes)", 70_000),
    _writing("increaseLockingCap(int256) -> bool", 8_000, "papyrus"),
    _writing("voteFeePerKbChange(int256) -> int256", 10_000),
    _writing("registerBtcTransaction(bytes,int256,bytes)", 22_000),
    _writing(
        "registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)"
        " -> int256",
        25_000,
        "iris",
    ),
    _writing("releaseBtc()", RELEASE_GAS),
    _writing("updateCollections()", 48_000),
)

_UNION = (
    _reading("getUnionBridgeContractAddress() -> address", 3_000, ZERO_ADDRESS, "reed810"),
    _reading("getUnionBridgeLockingCap() -> uint256", 3_000, UNION_LOCKING_CAP, "reed810"),
    _reading("getSuperEvent() -> bytes", 3_000, b"", "reed810"),
    _reading("getBaseEvent() -> bytes", 3_000, b"", "reed810"),
    _writing("setUnionBridgeContractAddressForTestnet(address) -> int256", 8_000, "reed810"),
    _writing("increaseUnionBridgeLockingCap(uint256) -> int256", 8_000, "reed810"),
    _writing("requestUnionBridgeRbtc(uint256) -> int256", 8_000, "reed810"),
    _writing("releaseUnionBridgeRbtc() -> int256", 8_000, "reed810"),
    _writing("setUnionBridgeTransferPermissions(bool,bool) -> int256", 8_000, "reed810"),
    _writing("setSuperEvent(bytes)", 8_000, "reed810"),
    _writing("clearSuperEvent()", 8_000, "reed810"),
    _writing("setBaseEvent(bytes)", 8_000, "reed810"),
    _writing("clearBaseEvent()", 8_000, "reed810"),
)


# The estimate simulates a peg-out, for which the bridge has no UTXOs.
_FEES_FOR_AMOUNT = replace(
    _writing("getEstimatedFeesForPegOutAmount(uint256) -> uint256", 10_000, "vetiver"),
    accepts_static=True,
)

BRIDGE = NativeContract(
    "Bridge",
    (*_FEDERATION, *_BITCOIN_CHAIN, *_TRANSFERS, *_UNION, _FEES_FOR_AMOUNT),
    gas_per_byte=GAS_PER_BYTE,
    unknown_gas=RELEASE_GAS,
    default="releaseBtc",
    check=_check,
)
