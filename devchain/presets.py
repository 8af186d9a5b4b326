"""Presets: what another node does where nodes differ by choice, one row of `PRESETS` for each node.

`--like NAME` selects a row. A preset replaces defaults of `Config`, and has conventions: error
codes and texts, required parameters, how values may be written, what the answers look like. The
consensus rules never depend on a preset.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from devchain import errors
from devchain.errors import DevchainError

ANY_METHOD = ""
"""The key of `Conventions.errors` for rows that hold for every method."""


@dataclass(frozen=True, slots=True)
class ErrorText:
    """What a client gets for a class of errors: code and message; None keeps devchain's own.

    `text` is a format string over the attributes of the error, `Block {error.number:#x} not found`.
    If the attribute `needs` is empty or None, `otherwise` is used instead.
    """

    code: int | None = None
    text: str | None = None
    needs: str = ""
    otherwise: str = ""

    def message(self, error: DevchainError) -> str:
        """The message for that error."""
        if self.needs and getattr(error, self.needs, None) in {None, ""}:
            return self.otherwise.format(error=error)
        return str(error) if self.text is None else self.text.format(error=error)


@dataclass(frozen=True, slots=True)
class ResultInstead:
    """The result that a client gets where devchain has an error, as JSON."""

    value: Any


ErrorRows = Mapping[type[DevchainError], ErrorText | ResultInstead]


def _nothing() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Conventions:
    """What JSON-RPC and the server do where nodes differ by choice; the defaults are devchain's.

    Whoever serves a request reads these fields, of `Config.conventions`, never the name of a
    preset.
    """

    # Errors

    errors: Mapping[str, ErrorRows] = field(default_factory=_nothing)
    """By method, or for `ANY_METHOD`: the rows that replace those of `rpc.errors.CODES`.

    The nearest class counts; for the same class, the method's own row.
    """

    http_status: Mapping[int, int] = field(default_factory=_nothing)
    """The HTTP status of an answer by its JSON-RPC error code, where it is not 200."""

    missing_block_is_error: frozenset[str] = frozenset()
    """Methods that refuse an unknown block, their first parameter, instead of answering null."""

    # Envelope

    empty_batch_is_request: bool = True
    """Whether `[]` is a request, a wrong one, rather than a batch of no calls, answered `[]`."""

    # Methods and their parameters

    unavailable: Mapping[str, int] = field(default_factory=_nothing)
    """Methods that only refuse (`MethodUnavailable`), with the number of their parameters."""

    parameter_counts: Mapping[str, tuple[int, int]] = field(default_factory=_nothing)
    """Least and greatest number of parameters of methods where it differs from the signature."""

    trailing_nulls_are_absent: bool = True
    """Whether nulls at the end of the parameters count as if they were not there."""


DEVCHAIN = Conventions()


@dataclass(frozen=True, slots=True)
class Preset:
    """One node to be like: the defaults of `Config` that it changes, and its conventions.

    `title` says what node it is, for the banner and the documentation.
    """

    name: str
    title: str
    defaults: Mapping[str, Any]
    conventions: Conventions


# The Rootstock node

RSKJ_METHODS = (
    "net",
    "web3",
    "txpool",
    "trace",
    "sco",
    "mnr",
    "rsk",
    "debug_traceTransaction",
    "debug_traceBlockByHash",
    "debug_traceBlockByNumber",
    "debug_wireProtocolQueueSize",
    "debug_accountTransactionQuota",
    "personal_listAccounts",
    "personal_newAccount",
    "personal_newAccountWithSeed",
    "personal_importRawKey",
    "personal_dumpRawKey",
    "personal_unlockAccount",
    "personal_lockAccount",
    "personal_sendTransaction",
    "evm_snapshot",
    "evm_revert",
    "evm_reset",
    "evm_mine",
    "evm_increaseTime",
    "evm_startMining",
    "evm_stopMining",
    "rpc_modules",
    "eth_accounts",
    "eth_blockNumber",
    "eth_bridgeState",
    "eth_call",
    "eth_chainId",
    "eth_coinbase",
    "eth_estimateGas",
    "eth_gasPrice",
    "eth_getBalance",
    "eth_getBlockByHash",
    "eth_getBlockByNumber",
    "eth_getBlockTransactionCountByHash",
    "eth_getBlockTransactionCountByNumber",
    "eth_getCode",
    "eth_getFilterChanges",
    "eth_getFilterLogs",
    "eth_getLogs",
    "eth_getStorageAt",
    "eth_getTransactionByBlockHashAndIndex",
    "eth_getTransactionByBlockNumberAndIndex",
    "eth_getTransactionByHash",
    "eth_getTransactionCount",
    "eth_getTransactionReceipt",
    "eth_getUncleByBlockHashAndIndex",
    "eth_getUncleByBlockNumberAndIndex",
    "eth_getUncleCountByBlockHash",
    "eth_getUncleCountByBlockNumber",
    "eth_hashrate",
    "eth_mining",
    "eth_netHashrate",
    "eth_newBlockFilter",
    "eth_newFilter",
    "eth_newPendingTransactionFilter",
    "eth_pendingTransactions",
    "eth_protocolVersion",
    "eth_sendRawTransaction",
    "eth_sendTransaction",
    "eth_sign",
    "eth_subscribe",
    "eth_syncing",
    "eth_uninstallFilter",
    "eth_unsubscribe",
)
"""The namespaces and methods of rskj that devchain has, with the optional modules on."""

_BLOCK_NUMBER_REFUSED = ErrorText(-32602, "Invalid block number {error.number}")

RSKJ = Preset(
    name="rskj",
    title="the Rootstock node rskj (VETIVER-9.0.3, regtest)",
    defaults=MappingProxyType(
        {
            "remasc": True,
            "revert_on_send": True,
            "max_batch": 50,
            "methods": RSKJ_METHODS,
        }
    ),
    conventions=Conventions(
        errors=MappingProxyType(
            {
                ANY_METHOD: {
                    errors.ParseFailed: ErrorText(text="JSON parse error"),
                    errors.InvalidRequest: ErrorText(text="invalid request"),
                    errors.BatchTooLarge: ErrorText(
                        text="Cannot dispatch batch requests. "
                        "{error.limit} is the max number of supported batch requests"
                    ),
                    errors.MethodNotFound: ErrorText(text="method not found"),
                    errors.MethodUnavailable: ErrorText(
                        text="the method {error.name} does not exist/is not available"
                    ),
                    errors.WrongParameterCount: ErrorText(text="method parameters invalid"),
                    errors.BlockNotFound: ErrorText(
                        -32600,
                        "Block {error.number:#x} not found",
                        needs="number",
                        otherwise="Block with hash 0x{error.hex_hash} not found",
                    ),
                    errors.ExecutionReverted: ErrorText(
                        text="VM Exception while processing transaction: revert {error.reason}",
                        needs="reason",
                        otherwise="VM Exception while processing transaction: transaction reverted",
                    ),
                    errors.ExecutionFailed: ErrorText(
                        text="VM Exception while processing transaction: transaction reverted"
                    ),
                },
                "eth_call": {
                    errors.BlockNotFound: _BLOCK_NUMBER_REFUSED,
                    errors.ExecutionFailed: ResultInstead("0x"),
                },
                "eth_estimateGas": {errors.BlockNotFound: _BLOCK_NUMBER_REFUSED},
                "eth_getCode": {errors.BlockNotFound: ResultInstead(None)},
                "eth_getUncleCountByBlockHash": {
                    errors.BlockNotFound: ErrorText(
                        -32600, "Block with hash {error.hex_hash} not found"
                    )
                },
                "debug_traceTransaction": {errors.TransactionNotFound: ResultInstead(None)},
                "debug_traceBlockByHash": {errors.BlockNotFound: ResultInstead(None)},
                "debug_traceBlockByNumber": {errors.BlockNotFound: ResultInstead(None)},
            }
        ),
        http_status=MappingProxyType({-32700: 400, -32600: 400, -32602: 400}),
        missing_block_is_error=frozenset(
            {
                "eth_getBlockTransactionCountByNumber",
                "eth_getUncleCountByBlockHash",
                "eth_getUncleCountByBlockNumber",
            }
        ),
        empty_batch_is_request=False,
        unavailable=MappingProxyType(
            {
                "eth_submitWork": 3,
                "eth_submitHashrate": 2,
                "eth_compileLLL": 1,
                "eth_compileSerpent": 1,
                "eth_compileSolidity": 1,
                "db_putString": 0,
                "db_getString": 0,
                "db_putHex": 0,
                "db_getHex": 0,
            }
        ),
        parameter_counts=MappingProxyType(
            {
                "eth_call": (2, 3),
                "eth_estimateGas": (1, 2),
                "eth_getBlockByHash": (2, 2),
                "eth_getBlockByNumber": (2, 2),
                "eth_getCode": (2, 2),
                "eth_getStorageAt": (3, 3),
                "eth_getTransactionCount": (2, 2),
                "evm_mine": (0, 0),
                "personal_unlockAccount": (3, 3),
                "rsk_getStorageBytesAt": (3, 3),
            }
        ),
        trailing_nulls_are_absent=False,
    ),
)

PRESETS: Mapping[str, Preset] = MappingProxyType({each.name: each for each in (RSKJ,)})
"""The presets by name, the value of `--like`."""
