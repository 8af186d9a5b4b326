"""Presets: what another node does where nodes differ by choice, one row of `PRESETS` for each node.

`--like NAME` selects a row. A preset replaces defaults of `Config`, and has conventions: error
codes and texts, required parameters, how values may be written, what the answers look like. The
consensus rules never depend on a preset.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from devchain import errors
from devchain.errors import DevchainError

ANY_METHOD = ""
"""The key of `Conventions.errors` for rows that hold for every method."""


def _nothing() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ErrorText:
    """What a client gets for a class of errors: code and message; None keeps devchain's own.

    `text` is a format string over the attributes of the error, `Block {error.number:#x} not found`.
    If the attribute `needs` is None, False or empty, or not among the `words` if there are any,
    `otherwise` is used instead: a format string, or the text of another row. `{word}` is the word
    of the attribute.
    """

    code: int | None = None
    text: str | None = None
    needs: str = ""
    otherwise: str | ErrorText = ""
    words: Mapping[Any, str] = field(default_factory=_nothing)

    def message(self, error: DevchainError) -> str:
        """The message for that error."""
        if self.text is None:
            return str(error)
        if not self.needs:
            return self.text.format(error=error)
        needed = getattr(error, self.needs, None)
        is_missing = needed is None or needed is False or needed in {"", b""}
        if is_missing or (self.words and needed not in self.words):
            if isinstance(self.otherwise, ErrorText):
                return self.otherwise.message(error)
            return self.otherwise.format(error=error)
        return self.text.format(error=error, word=self.words.get(needed))


@dataclass(frozen=True, slots=True)
class ResultInstead:
    """The result that a client gets where devchain has an error, as JSON."""

    value: Any


ErrorRows = Mapping[type[DevchainError], ErrorText | ResultInstead]


def _same(row: ErrorText, *kinds: type[DevchainError]) -> ErrorRows:
    return dict.fromkeys(kinds, row)


class BlockForm(StrEnum):
    """How a block parameter may be written besides QUANTITY, `latest`, `earliest`, `pending`."""

    FINAL_TAG = "safe, finalized"
    DECIMAL = "decimal text"
    INTEGER = "JSON integer"
    HASH = "hash"
    OBJECT = "EIP-1898 object"


class DataValue(StrEnum):
    """A value in `data` of an error; the others than the message are those of executions."""

    MESSAGE = "message"
    KIND = "kind"
    """`revert`, or what else ended the execution."""
    REASON = "reason"
    PAYLOAD = "payload"
    HASH = "hash"
    """The hash of the transaction, null for a call."""
    STACK = "stack trace"
    """Where in the source it failed, as text; left out if that is not known."""


DataMembers = Mapping[str, DataValue]
"""The members of `data`, with the value of each."""

SENT, REFUSED = "sent", "refused"
"""Keys of `Conventions.error_data`: for transactions that are mined and fail, for other errors."""

HASH_AND_PAYLOAD: DataMembers = MappingProxyType(
    {
        "message": DataValue.MESSAGE,
        "txHash": DataValue.HASH,
        "data": DataValue.PAYLOAD,
        "stackTrace": DataValue.STACK,
    }
)


class MissingGas(StrEnum):
    """The gas of a transaction that is sent without."""

    FIXED = "90000"
    ESTIMATE = "an estimate, or the block gas limit if it fails"


@dataclass(frozen=True, slots=True)
class Conventions:
    """What JSON-RPC and the server do where nodes differ by choice; the defaults are devchain's.

    Code that serves requests reads these fields, of `Config.conventions`, never a preset's name.
    """

    # Errors

    errors: Mapping[str, ErrorRows] = field(default_factory=_nothing)
    """By method, or for `ANY_METHOD`: the rows that replace those of `rpc.errors.CODES`.

    The method's own rows are preferred; among them the nearest class counts.
    """

    http_status: Mapping[int, int] = field(default_factory=_nothing)
    """The HTTP status of an answer by its JSON-RPC error code, where it is not 200."""

    error_data: Mapping[str, DataMembers] = field(
        default_factory=lambda: MappingProxyType({SENT: HASH_AND_PAYLOAD})
    )
    """What `data` of an error is: by method for failed executions, for `SENT` and for `REFUSED`.

    Without a row an execution has its payload, and no other error has `data`.
    """

    # Envelope

    empty_batch_is_request: bool = True
    """Whether `[]` is a request, a wrong one, rather than a batch of no calls, answered `[]`."""

    # Methods

    unavailable: Mapping[str, int] = field(default_factory=_nothing)
    """Methods that only refuse (`MethodUnavailable`), with the number of their parameters."""

    parameter_counts: Mapping[str, tuple[int, int | None]] = field(default_factory=_nothing)
    """Least and greatest number of parameters of methods where it differs from the signature.

    None for the greatest is as many as the signature has.
    """

    required_members: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    """Members that the call object, the first parameter of those methods, has to have."""

    null_is_default: frozenset[str] = frozenset()
    """Methods of `parameter_counts` in which null for a required parameter means its default."""

    trailing_nulls_are_absent: bool = True
    """Whether nulls at the end of the parameters count as if they were not there."""

    missing_block_is_error: frozenset[str] = frozenset()
    """Methods that refuse an unknown block, their first parameter, instead of answering null."""

    constant_results: Mapping[str, Any] = field(default_factory=_nothing)
    """Methods whose result says nothing, with that result."""

    # How values may be written

    block_forms: Mapping[str, frozenset[BlockForm]] = field(default_factory=_nothing)
    """Methods that do not take a block in every form, with the forms they take."""

    hex_text_only: frozenset[str] = frozenset()
    """Methods that take numbers and DATA only as text with 0x and digits behind it."""

    quantities_may_be_decimal: bool = False
    """Whether a QUANTITY may be decimal text; `0x` then is 0."""

    data_may_be_incomplete: bool = False
    """Whether DATA, addresses and hashes may lack 0x and, padded on the left, a first digit."""

    ignored_call_members: frozenset[str] = frozenset()
    """Members of call objects and transactions that count as if they were not there."""

    data_must_equal_input: bool = True
    """Whether a call object with different `data` and `input` is refused; else `input` counts."""

    override_members_are_known: bool = True
    """Whether an unknown member of a state override is refused rather than ignored."""

    misspelt_members_are_refused: bool = True
    """Whether a misspelt member of a call object or log filter is refused rather than ignored."""

    null_log_blocks_are_absent: bool = True
    """Whether null for a block in a log filter means that it is absent, rather than an error."""

    # Limits and results

    log_limits_are_one: bool = True
    """Whether `max_logs` holds only over more than `max_log_blocks` blocks, not each for itself."""

    constant_methods: Mapping[str, Any] = field(default_factory=_nothing)
    """Methods that are there besides devchain's: they take no parameters and answer this."""

    network_accounts_first: bool = False
    """Whether `eth_accounts` begins with the network's own accounts, not with the derived ones."""

    unlock_unit: float = 1.0
    """What the duration of `personal_unlockAccount` counts, in seconds."""

    # Filters

    trailing_null_topics_match: bool = False
    """Whether nulls at the end of a log filter's topics match logs that have fewer topics.

    A filter may then have any number of topics, and null among alternatives is no alternative.
    """

    polling_mines: bool = False
    """Whether `eth_getFilterChanges` first mines a block if mining is automatic."""

    filter_logs_of_every_kind: bool = False
    """Whether `eth_getFilterLogs` also answers for filters of blocks and transactions.

    The result is every hash since the filter was installed. Otherwise it is an error.
    """

    block_filters_begin_with_head: bool = False
    """Whether the first poll of a block filter answers the head at its installation, too.

    Clients that send first and then wait for the next block, as web3.js 0.20 in Truffle 4 does
    after a deployment, otherwise wait for ever where sending mines.
    """

    # Results

    result_shapes: Mapping[str, str] = field(default_factory=_nothing)
    """Methods whose results have another shape, with its name in `rpc.result_shapes.SHAPES`."""

    notification_shapes: Mapping[str, str] = field(default_factory=_nothing)
    """The same for the notifications `newHeads` and `logs`."""

    default_tracer: str = ""
    """The tracer of traces that name none; empty for struct logs."""

    # Sending

    missing_gas: MissingGas | None = None
    """The gas of a transaction that is sent without; None for what the rules have.

    By the rules it is `FIXED` on Rootstock, else an estimate, which fails if the transaction would.
    """

    first_account_sends: bool = False
    """Whether the first account sends a transaction that names no sender, or it is refused."""

    waits_for_nonces: bool = True
    """Whether with automatic mining a transaction may wait for an earlier nonce, or is refused."""

    # Calls

    estimate_cap: int | None = None
    """The most gas that `eth_estimateGas` tries, in one run whose gas at its peak is the estimate.

    Calls then do not check the sender's funds, and an estimate runs in the block that is named,
    not in the next one. None for the exact estimate, which checks funds.
    """


DEVCHAIN = Conventions()


def hosted(conventions: Conventions) -> Conventions:
    """Those conventions on the hosted service: what its specification requires is required."""
    return replace(
        conventions,
        parameter_counts=MappingProxyType(
            {
                "eth_call": (2, None),
                "eth_getCode": (2, None),
                "eth_getStorageAt": (3, None),
                **conventions.parameter_counts,
            }
        ),
        required_members=MappingProxyType({"eth_call": ("to",), "eth_estimateGas": ("to",)}),
    )


@dataclass(frozen=True, slots=True)
class Preset:
    """One node to be like: the defaults of `Config` that it changes, and its conventions.

    `title` says what node it is, for the banner and the documentation. `needs_rootstock` means that
    its conventions are about Rootstock's rules only. With `local_chain_id` the network `local` is
    that node's: it has this chain id and no accounts but the derived ones.
    """

    name: str
    title: str
    defaults: Mapping[str, Any]
    conventions: Conventions
    needs_rootstock: bool = False
    local_chain_id: int | None = None


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
    "eth_getBlocksByNumber",
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

_INVALID_BLOCK = ErrorText(text="Invalid block identifier '{error.value}'")
_NO_BLOCK_NUMBER = ErrorText(text="invalid blocknumber {error.value}")
_NO_HEX_TEXT = ErrorText(
    text='Invalid argument "{error.value}": param should be a hex value string.'
)
_INVALID_DATA = ErrorText(text="Invalid data format: invalid hex value.")
_VM_EXCEPTION = "VM Exception while processing transaction: "

_FILTER_ID: ErrorRows = {errors.InvalidQuantity: _INVALID_DATA}
_INDEX: ErrorRows = {
    errors.InvalidQuantity: _NO_HEX_TEXT,
    errors.QuantityOutOfRange: ErrorText(
        text="Invalid index param: value must be a valid hex number."
    ),
}
_STATE: ErrorRows = {
    errors.UnsupportedBlockTag: _INVALID_BLOCK,
    errors.UnsupportedBlockInteger: ErrorText(text="Invalid input"),
}
_BLOCK_HASH_NOT_FOUND = ErrorText(-32600, "Block with hash 0x{error.digits} not found")
_CALL_BLOCK: ErrorRows = {
    errors.BlockNotFound: ErrorText(-32602, "Invalid block number {error.number}"),
    errors.BlockHashNotFound: _BLOCK_HASH_NOT_FOUND,
}
_BLOCK_HASH_TEXT: ErrorRows = {
    errors.BlockHashNotFound: ErrorText(-32600, "Block 0x{error.digits} not found")
}
_LOG_QUERY: ErrorRows = {
    errors.ContradictoryMembers: ErrorText(
        text="Cannot specify both blockHash and fromBlock/toBlock"
    )
}
_NULL_HERE = ResultInstead(None)
_OUT_OF_GAS = ErrorText(-32000, "Transaction ran out of gas")

_BY_HASH, _BY_OBJECT, _BY_DECIMAL = (BlockForm.HASH, BlockForm.OBJECT, BlockForm.DECIMAL)

RSKJ = Preset(
    name="rskj",
    title="the Rootstock node rskj (VETIVER-9.0.3, regtest)",
    defaults=MappingProxyType(
        {
            "remasc": True,
            "revert_on_send": True,
            "max_log_blocks": 5_000,
            "max_logs": 20_000,
            "max_batch": 50,
            "client_version": "RskJ/9.0.3/Linux/Java17/VETIVER-devchain",
            "call_gas_cap": 50_000_000,
            "extra_data": "0xd20190646576636861696e2d76657469766572",
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
                    errors.InvalidAddress: ErrorText(
                        text="Invalid address format: invalid hex value."
                    ),
                    errors.InvalidAddressLength: ErrorText(
                        text="Invalid address: null, empty or invalid hex value."
                    ),
                    errors.InvalidHash: ErrorText(
                        text="Invalid {error.words} format: invalid hex value"
                    ),
                    errors.InvalidHashLength: ErrorText(
                        text="Invalid {error.words}: incorrect length."
                    ),
                    errors.InvalidData: _INVALID_DATA,
                    errors.InvalidQuantity: ErrorText(
                        text="Invalid param {error.value}: "
                        "value must be a valid hex or string number."
                    ),
                    errors.QuantityOutOfRange: ErrorText(text="Invalid param: {error.value}"),
                    errors.InvalidBlock: _INVALID_BLOCK,
                    errors.UnsupportedBlock: _NO_BLOCK_NUMBER,
                    errors.InvalidBlockObject: ErrorText(text="Invalid block input"),
                    errors.InvalidTraceWindow: ErrorText(text="{error.value}"),
                    errors.BlockNotFound: ErrorText(
                        -32600,
                        "Block {error.number:#x} not found",
                        needs="number",
                        otherwise="Block not found",
                    ),
                    errors.BlockHashNotFound: _BLOCK_HASH_NOT_FOUND,
                    errors.TransactionRejected: ErrorText(text="{error.reason}"),
                    errors.WrongChainId: ErrorText(-32602, "Invalid chainId: {error.chain_id}"),
                    errors.ExecutionReverted: ErrorText(
                        text=_VM_EXCEPTION + "revert {error.reason}",
                        needs="reason",
                        otherwise=_VM_EXCEPTION + "transaction reverted",
                    ),
                    errors.ExecutionFailed: ErrorText(text=_VM_EXCEPTION + "transaction reverted"),
                    errors.LogRangeTooWide: ErrorText(
                        text="Cannot query more than {error.limit} blocks at once"
                    ),
                    errors.TooManyLogs: ErrorText(
                        text="Filter returned more than {error.limit} logs."
                    ),
                    errors.ExecutionTimedOut: ErrorText(text="Execution has got timeout out."),
                },
                "eth_getBalance": _STATE,
                "eth_getCode": {
                    **_STATE,
                    errors.BlockNotFound: _NULL_HERE,
                    errors.UnsupportedBlockHash: _NULL_HERE,
                },
                "eth_getStorageAt": _STATE,
                "eth_getTransactionCount": _STATE,
                "rsk_getStorageBytesAt": _STATE,
                "eth_call": {**_STATE, **_CALL_BLOCK, errors.ExecutionFailed: ResultInstead("0x")},
                "eth_estimateGas": {
                    **_CALL_BLOCK,
                    errors.UnsupportedBlockTag: ErrorText(
                        text="Unsupported block specifier '{error.value}'. Can only be either "
                        "'earliest', 'latest', 'pending' or a specific block number "
                        "(either hex - prepending '0x' or decimal)."
                    ),
                },
                "eth_getBlockByHash": {errors.NullParameter: ErrorText(text="blockHash is null")},
                "eth_getBlockTransactionCountByNumber": _BLOCK_HASH_TEXT,
                "eth_getUncleCountByBlockNumber": _BLOCK_HASH_TEXT,
                "eth_getUncleCountByBlockHash": {
                    errors.BlockHashNotFound: ErrorText(
                        -32600, "Block with hash {error.digits} not found"
                    )
                },
                "eth_getTransactionByBlockHashAndIndex": _INDEX,
                "eth_getTransactionByBlockNumberAndIndex": _INDEX,
                "eth_getUncleByBlockHashAndIndex": _INDEX,
                "eth_getUncleByBlockNumberAndIndex": _INDEX,
                "eth_getLogs": _LOG_QUERY,
                "eth_newFilter": _LOG_QUERY,
                "eth_getFilterChanges": _FILTER_ID,
                "eth_getFilterLogs": _FILTER_ID,
                "eth_uninstallFilter": _FILTER_ID,
                "eth_getBlocksByNumber": {errors.InvalidQuantity: _NO_BLOCK_NUMBER},
                "eth_sendTransaction": {
                    errors.SenderMissing: ErrorText(text="from is null"),
                    errors.AccountUnavailable: ErrorText(
                        -32602, "Could not find account for address: {error.address}"
                    ),
                },
                "eth_sign": {errors.AccountUnavailable: ErrorText(-32602, "Account not found")},
                "personal_unlockAccount": {
                    errors.AccountUnknown: ResultInstead(value=False),
                    errors.InvalidQuantity: _NO_HEX_TEXT,
                    errors.QuantityOutOfRange: ErrorText(
                        text="Invalid duration param: value must be a valid hex number."
                    ),
                },
                "personal_newAccount": {errors.NullParameter: ErrorText(text="Passphrase is null")},
                "personal_newAccountWithSeed": {
                    errors.NullParameter: ErrorText(text="Seed is null")
                },
                "personal_importRawKey": {
                    errors.NullParameter: ErrorText(text="Key cannot be null."),
                    errors.InvalidInput: ErrorText(
                        text="Invalid param {error.value}: value must be a valid hex."
                    ),
                },
                "evm_revert": _same(
                    ErrorText(text="invalid snapshot id {error.value}"),
                    errors.InvalidQuantity,
                    errors.QuantityOutOfRange,
                    errors.NullParameter,
                ),
                "evm_increaseTime": _same(
                    ErrorText(text="invalid number of seconds {error.value}"),
                    errors.InvalidQuantity,
                    errors.QuantityOutOfRange,
                ),
                "sco_banAddress": _same(
                    ErrorText(text="invalid banned address {error.value}"),
                    errors.InvalidInput,
                    errors.NullParameter,
                ),
                "sco_unbanAddress": _same(
                    ErrorText(text="invalid banned address {error.value}"),
                    errors.InvalidInput,
                    errors.NullParameter,
                ),
                "web3_sha3": _same(
                    ErrorText(text="Parameter must be hexadecimal encoded with the '0x' prefix."),
                    errors.InvalidData,
                    errors.InvalidQuantity,
                    errors.NullParameter,
                ),
                "rsk_getRawBlockHeaderByNumber": {errors.InvalidBlock: _NO_BLOCK_NUMBER},
                "rsk_getRawTransactionReceiptByHash": {errors.InvalidHash: _NULL_HERE},
                "debug_traceBlockByNumber": {
                    errors.InvalidBlock: _NO_BLOCK_NUMBER,
                    errors.BlockNotFound: _NULL_HERE,
                },
                "debug_traceBlockByHash": {errors.BlockNotFound: _NULL_HERE},
                "debug_traceTransaction": {
                    errors.TransactionNotFound: _NULL_HERE,
                    errors.InvalidHash: _NULL_HERE,
                },
                "debug_accountTransactionQuota": {
                    errors.InvalidAddress: ErrorText(
                        text="invalid argument 0: hex string has length {error.digit_count}, "
                        "want 40 for RSK address"
                    )
                },
                "trace_transaction": {errors.InvalidHashLength: _NULL_HERE},
                "trace_get": {
                    errors.InvalidHashLength: _NULL_HERE,
                    errors.NullParameter: ErrorText(text="'positions' cannot be null or empty"),
                },
                "trace_block": {errors.InvalidBlock: _NO_BLOCK_NUMBER},
                "trace_filter": {
                    errors.NullParameter: ErrorText(text="Invalid trace_filter parameters.")
                },
            }
        ),
        http_status=MappingProxyType({-32700: 400, -32600: 400, -32602: 400}),
        error_data=MappingProxyType({}),
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
        null_is_default=frozenset({"personal_unlockAccount"}),
        trailing_nulls_are_absent=False,
        missing_block_is_error=frozenset(
            {
                "eth_getBlockTransactionCountByNumber",
                "eth_getUncleCountByBlockHash",
                "eth_getUncleCountByBlockNumber",
            }
        ),
        constant_results=MappingProxyType({"evm_mine": None}),
        block_forms=MappingProxyType(
            {
                **dict.fromkeys(
                    (
                        "eth_getBlockByNumber",
                        "eth_getBlockTransactionCountByNumber",
                        "eth_getTransactionByBlockNumberAndIndex",
                        "eth_getUncleByBlockNumberAndIndex",
                        "eth_getUncleCountByBlockNumber",
                        "rsk_getRawBlockHeaderByNumber",
                        "debug_traceBlockByNumber",
                        "trace_block",
                    ),
                    frozenset({_BY_HASH}),
                ),
                **dict.fromkeys(
                    (
                        "eth_getBalance",
                        "eth_getStorageAt",
                        "eth_getTransactionCount",
                        "rsk_getStorageBytesAt",
                    ),
                    frozenset({_BY_HASH, _BY_OBJECT}),
                ),
                "eth_getCode": frozenset({_BY_OBJECT}),
                "eth_call": frozenset({_BY_HASH, _BY_OBJECT, _BY_DECIMAL}),
                "eth_estimateGas": frozenset({_BY_HASH, _BY_DECIMAL}),
            }
        ),
        hex_text_only=frozenset(
            {
                "eth_getTransactionByBlockHashAndIndex",
                "eth_getTransactionByBlockNumberAndIndex",
                "eth_getUncleByBlockHashAndIndex",
                "eth_getUncleByBlockNumberAndIndex",
                "evm_revert",
                "personal_unlockAccount",
                "web3_sha3",
            }
        ),
        quantities_may_be_decimal=True,
        data_may_be_incomplete=True,
        ignored_call_members=frozenset(
            {
                "type",
                "accessList",
                "maxFeePerGas",
                "maxPriorityFeePerGas",
                "authorizationList",
                "blobVersionedHashes",
            }
        ),
        data_must_equal_input=False,
        override_members_are_known=False,
        misspelt_members_are_refused=False,
        null_log_blocks_are_absent=False,
        log_limits_are_one=False,
        constant_methods=MappingProxyType({"eth_getCompilers": ["solidity"]}),
        network_accounts_first=True,
        unlock_unit=0.001,
        trailing_null_topics_match=True,
        polling_mines=True,
        filter_logs_of_every_kind=True,
        result_shapes=MappingProxyType(
            {
                "eth_getBlockByHash": "rskj_block",
                "eth_getBlockByNumber": "rskj_block",
                "eth_getBlockTransactionCountByNumber": "rskj_transaction_count",
                "eth_getTransactionByHash": "rskj_transaction",
                "eth_getTransactionReceipt": "rskj_receipt",
                "eth_pendingTransactions": "rskj_pending_transactions",
                "eth_getLogs": "rskj_logs",
                "eth_getFilterLogs": "rskj_logs",
                "eth_getFilterChanges": "rskj_logs",
                "txpool_content": "rskj_pool_content",
                "txpool_inspect": "rskj_pool_summary",
            }
        ),
        notification_shapes=MappingProxyType(
            {"newHeads": "rskj_head", "logs": "rskj_log_notification"}
        ),
        default_tracer="rskTracer",
        estimate_cap=6_800_000,
    ),
    needs_rootstock=True,
)

# Nodes for tests of Ethereum's contracts


# Hardhat: what a project's tests get in Hardhat's own process, as far as JSON-RPC can carry it.
# Version 3 answers nearly the same over HTTP; version 2 there has the code -32603, `Error: ` before
# each message, and an object for `data`.

HARDHAT_PANICS = {
    0x01: "Assertion error",
    0x11: "Arithmetic operation overflowed outside of an unchecked block",
    0x12: "Division or modulo division by zero",
    0x21: "Tried to convert a value into an enum, but the value was too big or negative",
    0x22: "Incorrectly encoded storage byte array",
    0x31: ".pop() was called on an empty array",
    0x32: "Array accessed at an out-of-bounds or negative index",
    0x41: "Too much memory was allocated, or an array was created that is too large",
    0x51: "Called a zero-initialized variable of internal function type",
}
_CANNOT_QUEUE = " Note that transactions can't be queued when automining."
_NEWEST = ". Latest block number is {error.newest}"

HARDHAT = Preset(
    name="hardhat",
    title="Hardhat (2.29, 3.18)",
    defaults=MappingProxyType(
        {
            "accounts": 20,
            "gas_limit": 60_000_000,
            "revert_on_send": True,
            "revert_code": 3,
            "client_version": "HardhatNetwork/2.29.1/devchain",
        }
    ),
    conventions=Conventions(
        misspelt_members_are_refused=False,
        errors=MappingProxyType(
            {
                ANY_METHOD: {
                    errors.MethodNotFound: ErrorText(
                        -32004,
                        "Method {error.name} is not supported",
                        needs="name",
                        otherwise="{error}",
                    ),
                    errors.BlockNotFound: ErrorText(
                        -32000,
                        "Received invalid block tag {error.number}" + _NEWEST,
                        needs="number",
                        otherwise="{error}",
                    ),
                    errors.BlockHashNotFound: ErrorText(
                        -32000, "Received invalid block tag 0x{error.digits}" + _NEWEST
                    ),
                    errors.AccountUnknown: ErrorText(-32000, "Unknown account {error.address}"),
                    errors.TransactionRejected: ErrorText(-32000),
                    errors.MalformedTransaction: ErrorText(-32602),
                    errors.WrongChainId: ErrorText(
                        -32602,
                        "Trying to send an incompatible EIP-155 transaction, signed for another "
                        "chain.",
                    ),
                    errors.NonceTooLow: ErrorText(
                        -32000,
                        "Nonce too low. Expected nonce to be {error.wanted} but got {error.got}."
                        + _CANNOT_QUEUE,
                    ),
                    errors.NonceTooHigh: ErrorText(
                        -32000,
                        "Nonce too high. Expected nonce to be {error.wanted} but got {error.got}."
                        + _CANNOT_QUEUE,
                    ),
                    errors.InsufficientFunds: ErrorText(
                        -32000,
                        "Sender doesn't have enough funds to send tx. The max upfront cost is: "
                        "{error.wanted} and the sender's balance is: {error.got}.",
                    ),
                    errors.GasLimitExceeded: ErrorText(
                        -32000,
                        "Transaction gas limit is {error.got} and exceeds block gas limit of "
                        "{error.wanted}{error.details} (Hardhat: gas: 'auto' in the network's "
                        "settings)",
                    ),
                    errors.IntrinsicGasTooLow: ErrorText(
                        -32000,
                        "Transaction requires at least {error.wanted} gas but got {error.got}",
                    ),
                    errors.ExecutionReverted: ErrorText(
                        text=_VM_EXCEPTION
                        + "reverted with custom error '{error.custom_error.positional}'",
                        needs="custom_error",
                        otherwise=ErrorText(
                            text=_VM_EXCEPTION + "reverted with reason string '{error.reason}'",
                            needs="has_reason",
                            otherwise=ErrorText(
                                text=_VM_EXCEPTION
                                + "reverted with panic code {error.panic_code:#x} ({word})",
                                needs="panic_code",
                                words=MappingProxyType(HARDHAT_PANICS),
                                otherwise=ErrorText(
                                    text=_VM_EXCEPTION
                                    + "reverted with unknown panic code {error.panic_code:#x}",
                                    needs="panic_code",
                                    otherwise=ErrorText(
                                        text=_VM_EXCEPTION
                                        + "reverted with an unrecognized custom error "
                                        "(return data: 0x{error.digits})",
                                        needs="payload",
                                        otherwise="Transaction reverted without a reason string",
                                    ),
                                ),
                            ),
                        ),
                    ),
                    errors.ExecutionOutOfGas: _OUT_OF_GAS,
                    errors.GasAllowanceExceeded: _OUT_OF_GAS,
                    errors.FilterNotFound: _NULL_HERE,
                },
            }
        ),
        error_data=MappingProxyType(
            {
                SENT: HASH_AND_PAYLOAD,
                REFUSED: MappingProxyType({"message": DataValue.MESSAGE}),
            }
        ),
        empty_batch_is_request=False,
        missing_gas=MissingGas.ESTIMATE,
        first_account_sends=True,
        waits_for_nonces=False,
        block_filters_begin_with_head=True,
        constant_results=MappingProxyType({"evm_mine": "0"}),
        result_shapes=MappingProxyType(
            {
                "eth_getBlockByNumber": "hardhat_block",
                "evm_increaseTime": "decimal_text",
                "evm_setNextBlockTimestamp": "first_as_decimal",
            }
        ),
    ),
    local_chain_id=31_337,
)

# anvil

ANVIL_PANICS = {
    0x00: "generic/unspecified error",
    0x01: "assertion failed",
    0x11: "arithmetic underflow or overflow",
    0x12: "division or modulo by zero",
    0x21: "failed to convert value into enum type",
    0x22: "storage byte array incorrectly encoded",
    0x31: "called `.pop()` on an empty array",
    0x32: "array out-of-bounds access",
    0x41: "memory allocation error",
    0x51: "called an invalid internal function",
}
ANVIL_NULLS = (
    "evm_setNextBlockTimestamp",
    "evm_setAutomine",
    "hardhat_setBalance",
    "hardhat_setNonce",
    "hardhat_setCode",
    "hardhat_setCoinbase",
    "hardhat_impersonateAccount",
    "hardhat_stopImpersonatingAccount",
    "hardhat_setLoggingEnabled",
    "hardhat_mine",
    "hardhat_dropTransaction",
    "hardhat_reset",
    "hardhat_setNextBlockBaseFeePerGas",
    "hardhat_setMinGasPrice",
    "anvil_setIntervalMining",
    "anvil_autoImpersonateAccount",
    "anvil_addBalance",
    "anvil_dealERC20",
    "anvil_setERC20Allowance",
    "anvil_dropAllTransactions",
    "anvil_removePoolTransactions",
    "anvil_setBlockTimestampInterval",
    "anvil_rollback",
    "anvil_reorg",
)
"""Methods that set something and answer null, which is all that Foundry's own clients accept."""
_NO_SIGNER = ErrorText(-32602, "No Signer available")
_NO_FUNDS = ErrorText(-32003, "Insufficient funds for gas * price + value")
_SHOWN_NUMBER = ErrorText(
    -32602,
    "BlockOutOfRangeError: block height is {error.newest} but requested was {error.number}",
    needs="number",
    otherwise="{error}",
)

ANVIL = Preset(
    name="anvil",
    title="anvil (1.7.1)",
    defaults=MappingProxyType(
        {
            "gas_limit": 30_000_000,
            "revert_code": 3,
            "client_version": "anvil/v1.7.1/devchain",
        }
    ),
    conventions=Conventions(
        misspelt_members_are_refused=False,
        errors=MappingProxyType(
            {
                ANY_METHOD: {
                    errors.InvalidRequest: ErrorText(text="Invalid request"),
                    errors.MethodNotFound: ErrorText(text="Method not found"),
                    errors.BlockNotFound: _SHOWN_NUMBER,
                    errors.BlockHashNotFound: ErrorText(-32001, "Resource not found"),
                    errors.FilterNotFound: ErrorText(text="filter not found"),
                    errors.AccountUnknown: _NO_SIGNER,
                    errors.TransactionRejected: ErrorText(-32003),
                    errors.MalformedTransaction: ErrorText(-32602),
                    errors.AlreadyKnown: ErrorText(-32003, "transaction already imported"),
                    errors.NonceTooLow: ErrorText(-32003, "nonce too low"),
                    errors.InsufficientFunds: _NO_FUNDS,
                    errors.TransferUnaffordable: _NO_FUNDS,
                    errors.GasPriceTooLow: ErrorText(
                        -32003, "max fee per gas less than block base fee"
                    ),
                    errors.ReplacementUnderpriced: ErrorText(
                        -32003, "replacement transaction underpriced"
                    ),
                    errors.GasLimitExceeded: ErrorText(
                        -32000,
                        "intrinsic gas too high -- tx.gas_limit > env.block.gas_limit"
                        "{error.details}",
                    ),
                    errors.IntrinsicGasTooLow: ErrorText(-32000, "intrinsic gas too low"),
                    errors.GasAllowanceExceeded: ErrorText(
                        -32003, "Out of gas: gas required exceeds allowance: {error.allowance}"
                    ),
                    errors.ExecutionReverted: ErrorText(
                        text="execution reverted: panic: {word} ({error.panic_code:#04x})",
                        needs="panic_code",
                        words=MappingProxyType(ANVIL_PANICS),
                        otherwise=ErrorText(
                            text="execution reverted: panic: unknown code "
                            "({error.panic_code:#04x})",
                            needs="panic_code",
                            otherwise="{error}",
                        ),
                    ),
                    errors.ExecutionOutOfGas: ErrorText(-32000, "EVM error OutOfGas"),
                    errors.ExecutionFailed: ErrorText(-32000, "EVM error: {error}"),
                },
            }
        ),
        missing_gas=MissingGas.ESTIMATE,
        first_account_sends=True,
        constant_results=MappingProxyType(dict.fromkeys(ANVIL_NULLS)),
        result_shapes=MappingProxyType(
            {"eth_getBlockByNumber": "anvil_block", "evm_increaseTime": "number"}
        ),
    ),
    local_chain_id=31_337,
)

# ganache

GANACHE_MNEMONIC = "myth like bonus scare over problem client lizard pioneer submit female collect"
_GANACHE_FAILURE: DataMembers = MappingProxyType(
    {
        "hash": DataValue.HASH,
        "result": DataValue.PAYLOAD,
        "reason": DataValue.REASON,
        "message": DataValue.KIND,
    }
)
_NOT_RECOGNIZED = ErrorText(-32700, "sender account not recognized")

GANACHE = Preset(
    name="ganache",
    title="ganache (7.9.2, with --deterministic)",
    defaults=MappingProxyType(
        {
            "balance": 1_000,
            "mnemonic": GANACHE_MNEMONIC,
            "gas_limit": 30_000_000,
            "revert_code": -32000,
            "client_version": "Ganache/v7.9.2/EthereumJS TestRPC/v7.9.2/devchain",
        }
    ),
    conventions=Conventions(
        misspelt_members_are_refused=False,
        errors=MappingProxyType(
            {
                ANY_METHOD: {
                    errors.MethodNotFound: ErrorText(
                        -32700, "The method {error.name} does not exist/is not available"
                    ),
                    errors.BlockNotFound: ErrorText(-32700, "header not found"),
                    errors.FilterNotFound: ErrorText(-32700, "filter not found"),
                    errors.SenderMissing: ErrorText(-32700, "from not found; is required"),
                    errors.AccountUnknown: _NOT_RECOGNIZED,
                    errors.TransactionRejected: ErrorText(-32000),
                    errors.MalformedTransaction: ErrorText(-32700),
                    errors.WrongChainId: ErrorText(-32700, "Invalid signature v value"),
                    errors.NonceTooLow: ErrorText(
                        -32000,
                        "the tx doesn't have the correct nonce. account has nonce of: "
                        "{error.wanted} tx has nonce of: {error.got}",
                    ),
                    errors.InsufficientFunds: ErrorText(
                        -32003, "insufficient funds for gas * price + value"
                    ),
                    errors.GasLimitExceeded: ErrorText(
                        -32000, "exceeds block gas limit{error.details}"
                    ),
                    errors.IntrinsicGasTooLow: ErrorText(-32000, "intrinsic gas too low"),
                    errors.ReplacementUnderpriced: ErrorText(-32003, "transaction underpriced"),
                    errors.AlreadyKnown: ErrorText(-32003, "transaction underpriced"),
                    errors.ExecutionReverted: ErrorText(
                        text=_VM_EXCEPTION + "revert {error.reason}",
                        needs="reason",
                        otherwise=_VM_EXCEPTION + "revert",
                    ),
                    errors.GasAllowanceExceeded: ErrorText(-32000, _VM_EXCEPTION + "out of gas"),
                },
                "eth_sign": {
                    errors.AccountUnknown: ErrorText(-32700, "cannot sign data; no private key")
                },
            }
        ),
        error_data=MappingProxyType({SENT: _GANACHE_FAILURE, "eth_estimateGas": _GANACHE_FAILURE}),
        empty_batch_is_request=False,
        missing_gas=MissingGas.FIXED,
        block_filters_begin_with_head=True,  # as ganache-cli 6, which came with Truffle 4
        data_may_be_incomplete=True,
        result_shapes=MappingProxyType(
            {"eth_getBlockByNumber": "ganache_block", "evm_increaseTime": "number"}
        ),
    ),
    local_chain_id=1_337,
)

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {each.name: each for each in (HARDHAT, ANVIL, GANACHE, RSKJ)}
)
"""The presets by name, the value of `--like`."""
