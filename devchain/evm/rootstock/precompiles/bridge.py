"""The Bridge: reading methods tell of a peg nobody has used, the others say that there is none.

Every method has its ABI, its gas and its upgrades. `_local` are those that the node answers in
`eth_call` only, `_reading` those that contracts may call too, `_writing` the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from devchain.evm.rootstock.precompiles import bridge_state as answers
from devchain.evm.rootstock.precompiles.abi import Call, Method, NativeContract, NativeContractError
from devchain.evm.rootstock.precompiles.bridge_state import CREATION_BLOCK
from devchain.types import ZERO_ADDRESS

GAS_PER_BYTE = 2
RELEASE_GAS = 23_000
MISSING = -1
UNION_LOCKING_CAP = 10**18


def _constant(value: Any) -> Callable[..., Any]:
    return lambda *_: value


def _reading(
    declaration: str,
    gas: int | Callable[..., int],
    answer: Any,
    since: str = "orchid",
    until: str | None = None,
) -> Method:
    """A method that changes nothing; an `answer` that is no function is the answer."""
    told = answer if callable(answer) else _constant(answer)
    return Method(declaration, gas, told, since, until)


def _local(
    declaration: str, gas: int, answer: Any, since: str = "orchid", until: str | None = None
) -> Method:
    return replace(_reading(declaration, gas, answer, since, until), local_only=True)


def _writing(
    declaration: str, gas: int | Callable[..., int], since: str = "orchid", until: str | None = None
) -> Method:
    name = declaration.partition("(")[0]

    def refuse(*_: Any) -> None:
        msg = f"Bridge.{name} needs the peg to bitcoin, which a development chain does not have"
        raise NativeContractError(msg)

    return Method(declaration, gas, refuse, since, until, accepts_static=False)


def _check(call: Call, method: Method) -> None:
    """Refuse calls on the caller's behalf, and static ones to writing methods (RSKIP417)."""
    if not call.since("arrowhead"):
        return
    if call.keeps_caller:
        msg = f"Bridge.{method.name} is not for CALLCODE or DELEGATECALL"
        raise NativeContractError(msg)
    if call.computation.msg.is_static and not method.accepts_static:
        msg = f"Bridge.{method.name} is not for STATICCALL"
        raise NativeContractError(msg)


_FEDERATION = (
    _local("getFederationAddress() -> string", 11_000, answers.of_peg("address")),
    _local("getFederationCreationBlockNumber() -> int256", 10_000, CREATION_BLOCK),
    _local("getFederationCreationTime() -> int256", 10_000, answers.creation_time),
    _local("getFederationSize() -> int256", 10_000, answers.of_peg("size")),
    _local("getFederationThreshold() -> int256", 11_000, answers.of_peg("threshold")),
    _local("getFederatorPublicKey(int256) -> bytes", 10_000, answers.federator, until="wasabi"),
    _local(
        "getFederatorPublicKeyOfType(int256,string) -> bytes",
        10_000,
        answers.key_of_type(answers.federator),
        "wasabi",
    ),
    _reading(
        "getActivePowpegRedeemScript() -> bytes",
        30_000,
        answers.of_peg("redeem_script"),
        "fingerroot",
    ),
    _reading("getActiveFederationCreationBlockHeight() -> uint256", 3_000, 0, "iris"),
    _local("getPendingFederationHash() -> bytes", 3_000, b""),
    _local("getPendingFederationSize() -> int256", 3_000, MISSING),
    _local("getPendingFederatorPublicKey(int256) -> bytes", 3_000, b"", until="wasabi"),
    _local(
        "getPendingFederatorPublicKeyOfType(int256,string) -> bytes",
        3_000,
        answers.no_key,
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
        answers.no_key,
        "wasabi",
    ),
    _local("getProposedFederationAddress() -> string", 3_000, "", "lovell"),
    _local("getProposedFederationSize() -> int256", 3_000, MISSING, "lovell"),
    _local("getProposedFederationCreationTime() -> int256", 3_000, MISSING, "lovell"),
    _local("getProposedFederationCreationBlockNumber() -> int256", 3_000, MISSING, "lovell"),
    _local(
        "getProposedFederatorPublicKeyOfType(int256,string) -> bytes",
        3_000,
        answers.no_key,
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
        answers.of_peg("height"),
        until="iris",
    ),
    _reading(
        "getBtcBlockchainBestChainHeight() -> int256", 19_000, answers.of_peg("height"), "iris"
    ),
    _local("getBtcBlockchainInitialBlockHeight() -> int256", 20_000, answers.of_peg("height")),
    _local("getBtcBlockchainBlockHashAtDepth(int256) -> bytes", 20_000, answers.block_hash),
    _reading("getBtcBlockchainBestBlockHeader() -> bytes", 3_800, answers.of_peg("block"), "iris"),
    _reading(
        "getBtcBlockchainBlockHeaderByHash(bytes32) -> bytes", 4_600, answers.header_by_hash, "iris"
    ),
    _reading(
        "getBtcBlockchainBlockHeaderByHeight(uint256) -> bytes",
        5_000,
        answers.header_by_height,
        "iris",
    ),
    _reading("getBtcBlockchainParentBlockHeaderByHash(bytes32) -> bytes", 4_900, b"", "iris"),
    _reading(
        "getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[]) -> int256",
        answers.confirmations_gas,
        answers.confirmations,
        "wasabi",
    ),
    _local("getBtcTxHashProcessedHeight(string) -> int64", 22_000, answers.processed(MISSING)),
    _local("isBtcTxHashAlreadyProcessed(string) -> bool", 23_000, answers.processed(answer=False)),
    _reading(
        "hasBtcBlockCoinbaseTransactionInformation(bytes32) -> bool",
        5_000,
        _constant(value=False),
        "papyrus",
    ),
    _writing("receiveHeaders(bytes[])", 22_000, until="wasabi"),
    _writing("receiveHeaders(bytes[])", answers.headers_gas, "wasabi"),
    _writing("receiveHeader(bytes) -> int256", 10_600, "iris"),
    _writing(
        "registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)", 10_000, "papyrus"
    ),
)

_TRANSFERS = (
    _local("getFeePerKb() -> int256", 2_000, answers.of_peg("fee_per_kilobyte")),
    _local("getMinimumLockTxValue() -> int256", 2_000, answers.minimum_pegin),
    _local("getLockingCap() -> int256", 3_000, answers.of_peg("locking_cap"), "papyrus"),
    _local("getLockWhitelistAddress(int256) -> string", 16_000, ""),
    _local("getLockWhitelistEntryByAddress(string) -> int256", 16_000, MISSING),
    _local("getLockWhitelistSize() -> int256", 16_000, 0),
    _local("getStateForBtcReleaseClient() -> bytes", 4_000, answers.EMPTY_STATE),
    _local("getStateForSvpClient() -> bytes", 4_000, answers.EMPTY_STATE, "lovell"),
    _local("getStateForDebugging() -> bytes", 3_000_000, answers.debugging_state),
    _reading("getNextPegoutCreationBlockNumber() -> uint256", 3_000, 0, "fingerroot"),
    _reading("getQueuedPegoutsCount() -> uint256", 3_000, 0, "fingerroot"),
    _reading(
        "getEstimatedFeesForNextPegOutEvent() -> uint256",
        10_000,
        answers.of_peg("pegout_fee"),
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


# Estimating the fees of an amount simulates spending, and there is nothing to spend.
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
