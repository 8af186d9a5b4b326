"""The Rootstock node rskj, which the hosted service runs: `--like rskj`, or of a later version."""

from __future__ import annotations

from dataclasses import replace

from devchain import errors
from devchain.presets.fields import (
    ANY_METHOD,
    VM_EXCEPTION,
    BlockForm,
    ErrorRows,
    ErrorText,
    Preset,
    ResultInstead,
)

METHODS = """
net web3 txpool trace sco mnr rsk debug_traceTransaction debug_traceBlockByHash
debug_traceBlockByNumber debug_wireProtocolQueueSize debug_accountTransactionQuota
personal_listAccounts personal_newAccount personal_newAccountWithSeed personal_importRawKey
personal_dumpRawKey personal_unlockAccount personal_lockAccount personal_sendTransaction
evm_snapshot evm_revert evm_reset evm_mine evm_increaseTime evm_startMining evm_stopMining
rpc_modules eth_accounts eth_blockNumber eth_bridgeState eth_call eth_chainId eth_coinbase
eth_estimateGas eth_gasPrice eth_getBalance eth_getBlockByHash eth_getBlockByNumber
eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber eth_getBlocksByNumber
eth_getCode eth_getFilterChanges eth_getFilterLogs eth_getLogs eth_getStorageAt
eth_getTransactionByBlockHashAndIndex eth_getTransactionByBlockNumberAndIndex
eth_getTransactionByHash eth_getTransactionCount eth_getTransactionReceipt
eth_getUncleByBlockHashAndIndex eth_getUncleByBlockNumberAndIndex eth_getUncleCountByBlockHash
eth_getUncleCountByBlockNumber eth_hashrate eth_mining eth_netHashrate eth_newBlockFilter
eth_newFilter eth_newPendingTransactionFilter eth_pendingTransactions eth_protocolVersion
eth_sendRawTransaction eth_sendTransaction eth_sign eth_subscribe eth_syncing
eth_uninstallFilter eth_unsubscribe
""".split()  # noqa: SIM905  # a list of one name a line is longer than the rest
"""The namespaces and methods of rskj that devchain has, with the optional modules on."""

STATE_READERS = (
    *("eth_getBalance", "eth_getStorageAt", "rsk_getStorageBytesAt"),
    "eth_getTransactionCount",
)
BY_BLOCK_AND_INDEX = (
    *("eth_getTransactionByBlockHashAndIndex", "eth_getTransactionByBlockNumberAndIndex"),
    *("eth_getUncleByBlockHashAndIndex", "eth_getUncleByBlockNumberAndIndex"),
)
BLOCKS_BY_NUMBER = (
    *("eth_getBlockByNumber", "eth_getBlockTransactionCountByNumber", "trace_block"),
    *("eth_getTransactionByBlockNumberAndIndex", "eth_getUncleByBlockNumberAndIndex"),
    *("eth_getUncleCountByBlockNumber", "rsk_getRawBlockHeaderByNumber"),
    "debug_traceBlockByNumber",
)

INVALID_BLOCK = ErrorText("Invalid block identifier '{error.value}'")
NO_BLOCK_NUMBER = ErrorText("invalid blocknumber {error.value}")
NO_HEX_TEXT = ErrorText('Invalid argument "{error.value}": param should be a hex value string.')
INVALID_DATA = ErrorText("Invalid data format: invalid hex value.")

FILTER_ID: ErrorRows = {errors.InvalidQuantity: INVALID_DATA}
INDEX: ErrorRows = {
    errors.InvalidQuantity: NO_HEX_TEXT,
    errors.QuantityOutOfRange: ErrorText("Invalid index param: value must be a valid hex number."),
}
STATE: ErrorRows = {
    errors.UnsupportedBlockTag: INVALID_BLOCK,
    errors.UnsupportedBlockInteger: ErrorText("Invalid input"),
}
BLOCK_HASH_NOT_FOUND = ErrorText("Block with hash 0x{error.digits} not found", -32600)
CALL_BLOCK: ErrorRows = {
    errors.BlockNotFound: ErrorText("Invalid block number {error.number}", -32602),
    errors.BlockHashNotFound: BLOCK_HASH_NOT_FOUND,
}
BLOCK_HASH_TEXT: ErrorRows = {
    errors.BlockHashNotFound: ErrorText("Block 0x{error.digits} not found", -32600)
}
LOG_QUERY: ErrorRows = {
    errors.ContradictoryMembers: ErrorText("Cannot specify both blockHash and fromBlock/toBlock")
}
BANNED_ADDRESS: ErrorRows = dict.fromkeys(
    (errors.InvalidInput, errors.NullParameter), ErrorText("invalid banned address {error.value}")
)
NULL_HERE = ResultInstead(None)

BY_HASH, BY_OBJECT, BY_DECIMAL = BlockForm.HASH, BlockForm.OBJECT, BlockForm.DECIMAL


def _no_block(error: errors.BlockNotFound) -> str:
    return "Block not found" if error.number is None else f"Block {error.number:#x} not found"


def _revert(error: errors.ExecutionReverted) -> str:
    return VM_EXCEPTION + (f"revert {error.reason}" if error.reason else "transaction reverted")


ERRORS: dict[str, ErrorRows] = {
    ANY_METHOD: {
        errors.ParseFailed: ErrorText("JSON parse error"),
        errors.InvalidRequest: ErrorText("invalid request"),
        errors.BatchTooLarge: ErrorText(
            "Cannot dispatch batch requests. "
            "{error.limit} is the max number of supported batch requests"
        ),
        errors.MethodNotFound: ErrorText("method not found"),
        errors.MethodUnavailable: ErrorText(
            "the method {error.name} does not exist/is not available"
        ),
        errors.WrongParameterCount: ErrorText("method parameters invalid"),
        errors.InvalidAddress: ErrorText("Invalid address format: invalid hex value."),
        errors.InvalidAddressLength: ErrorText(
            "Invalid address: null, empty or invalid hex value."
        ),
        errors.InvalidHash: ErrorText("Invalid {error.words} format: invalid hex value"),
        errors.InvalidHashLength: ErrorText("Invalid {error.words}: incorrect length."),
        errors.InvalidData: INVALID_DATA,
        errors.InvalidQuantity: ErrorText(
            "Invalid param {error.value}: value must be a valid hex or string number."
        ),
        errors.QuantityOutOfRange: ErrorText("Invalid param: {error.value}"),
        errors.InvalidBlock: INVALID_BLOCK,
        errors.UnsupportedBlock: NO_BLOCK_NUMBER,
        errors.InvalidBlockObject: ErrorText("Invalid block input"),
        errors.InvalidTraceWindow: ErrorText("{error.value}"),
        errors.BlockNotFound: ErrorText(_no_block, -32600),
        errors.BlockHashNotFound: BLOCK_HASH_NOT_FOUND,
        errors.TransactionRejected: ErrorText("{error.reason}"),
        errors.WrongChainId: ErrorText("Invalid chainId: {error.got}", -32602),
        errors.ExecutionReverted: ErrorText(_revert),
        errors.ExecutionFailed: ErrorText(VM_EXCEPTION + "transaction reverted"),
        errors.LogRangeTooWide: ErrorText("Cannot query more than {error.limit} blocks at once"),
        errors.TooManyLogs: ErrorText("Filter returned more than {error.limit} logs."),
        errors.ExecutionTimedOut: ErrorText("Execution has got timeout out."),
    },
    **dict.fromkeys(STATE_READERS, STATE),
    "eth_getCode": {
        **STATE,
        errors.BlockNotFound: NULL_HERE,
        errors.UnsupportedBlockHash: NULL_HERE,
    },
    "eth_call": {**STATE, **CALL_BLOCK, errors.ExecutionFailed: ResultInstead("0x")},
    "eth_estimateGas": {
        **CALL_BLOCK,
        errors.UnsupportedBlockTag: ErrorText(
            "Unsupported block specifier '{error.value}'. Can only be either "
            "'earliest', 'latest', 'pending' or a specific block number "
            "(either hex - prepending '0x' or decimal)."
        ),
    },
    "eth_getBlockByHash": {errors.NullParameter: ErrorText("blockHash is null")},
    "eth_getBlockTransactionCountByNumber": BLOCK_HASH_TEXT,
    "eth_getUncleCountByBlockNumber": BLOCK_HASH_TEXT,
    "eth_getUncleCountByBlockHash": {
        errors.BlockHashNotFound: ErrorText("Block with hash {error.digits} not found", -32600)
    },
    **dict.fromkeys(BY_BLOCK_AND_INDEX, INDEX),
    **dict.fromkeys(("eth_getLogs", "eth_newFilter"), LOG_QUERY),
    **dict.fromkeys(
        ("eth_getFilterChanges", "eth_getFilterLogs", "eth_uninstallFilter"), FILTER_ID
    ),
    "eth_getBlocksByNumber": {errors.InvalidQuantity: NO_BLOCK_NUMBER},
    "eth_sendTransaction": {
        errors.SenderMissing: ErrorText("from is null"),
        errors.AccountUnavailable: ErrorText(
            "Could not find account for address: {error.address}", -32602
        ),
    },
    "eth_sign": {errors.AccountUnavailable: ErrorText("Account not found", -32602)},
    "personal_unlockAccount": {
        errors.AccountUnknown: ResultInstead(value=False),
        errors.InvalidQuantity: NO_HEX_TEXT,
        errors.QuantityOutOfRange: ErrorText(
            "Invalid duration param: value must be a valid hex number."
        ),
    },
    "personal_newAccount": {errors.NullParameter: ErrorText("Passphrase is null")},
    "personal_newAccountWithSeed": {errors.NullParameter: ErrorText("Seed is null")},
    "personal_importRawKey": {
        errors.NullParameter: ErrorText("Key cannot be null."),
        errors.InvalidInput: ErrorText("Invalid param {error.value}: value must be a valid hex."),
    },
    "evm_revert": dict.fromkeys(
        (errors.InvalidQuantity, errors.QuantityOutOfRange, errors.NullParameter),
        ErrorText("invalid snapshot id {error.value}"),
    ),
    "evm_increaseTime": dict.fromkeys(
        (errors.InvalidQuantity, errors.QuantityOutOfRange),
        ErrorText("invalid number of seconds {error.value}"),
    ),
    **dict.fromkeys(("sco_banAddress", "sco_unbanAddress"), BANNED_ADDRESS),
    "web3_sha3": dict.fromkeys(
        (errors.InvalidData, errors.InvalidQuantity, errors.NullParameter),
        ErrorText("Parameter must be hexadecimal encoded with the '0x' prefix."),
    ),
    "rsk_getRawBlockHeaderByNumber": {errors.InvalidBlock: NO_BLOCK_NUMBER},
    "rsk_getRawTransactionReceiptByHash": {errors.InvalidHash: NULL_HERE},
    "debug_traceBlockByNumber": {
        errors.InvalidBlock: NO_BLOCK_NUMBER,
        errors.BlockNotFound: NULL_HERE,
    },
    "debug_traceBlockByHash": {errors.BlockNotFound: NULL_HERE},
    "debug_traceTransaction": {
        errors.TransactionNotFound: NULL_HERE,
        errors.InvalidHash: NULL_HERE,
    },
    "debug_accountTransactionQuota": {
        errors.InvalidAddress: ErrorText(
            "invalid argument 0: hex string has length {error.digit_count}, want 40 for RSK address"
        )
    },
    "trace_transaction": {errors.InvalidHashLength: NULL_HERE},
    "trace_get": {
        errors.InvalidHashLength: NULL_HERE,
        errors.NullParameter: ErrorText("'positions' cannot be null or empty"),
    },
    "trace_block": {errors.InvalidBlock: NO_BLOCK_NUMBER},
    "trace_filter": {errors.NullParameter: ErrorText("Invalid trace_filter parameters.")},
}

RSKJ = Preset(
    name="rskj",
    title="the Rootstock node rskj (VETIVER-9.0.3, regtest)",
    defaults={
        "remasc": True,
        "revert_on_send": True,
        "max_log_blocks": 5_000,
        "max_logs": 20_000,
        "max_batch": 50,
        "client_version": "RskJ/9.0.3/Linux/Java17/VETIVER-devchain",
        "call_gas_cap": 50_000_000,
        "extra_data": "0xd20190646576636861696e2d76657469766572",
        "methods": tuple(METHODS),
    },
    errors=ERRORS,
    http_status={-32700: 400, -32600: 400, -32602: 400},
    error_data={},
    empty_batch_is_request=False,
    unavailable={
        "eth_submitWork": 3,
        "eth_submitHashrate": 2,
        **dict.fromkeys(("eth_compileLLL", "eth_compileSerpent", "eth_compileSolidity"), 1),
        **dict.fromkeys(("db_putString", "db_getString", "db_putHex", "db_getHex"), 0),
    },
    parameter_counts={
        "eth_call": (2, 3),
        "eth_estimateGas": (1, 2),
        "evm_mine": (0, 0),
        **dict.fromkeys(("eth_getBlockByHash", "eth_getBlockByNumber", "eth_getCode"), (2, 2)),
        "eth_getTransactionCount": (2, 2),
        **dict.fromkeys(("eth_getStorageAt", "rsk_getStorageBytesAt"), (3, 3)),
        "personal_unlockAccount": (3, 3),
    },
    null_is_default=frozenset({"personal_unlockAccount"}),
    trailing_nulls_are_absent=False,
    missing_block_is_error=frozenset(
        {
            "eth_getBlockTransactionCountByNumber",
            *("eth_getUncleCountByBlockHash", "eth_getUncleCountByBlockNumber"),
        }
    ),
    constant_results={"evm_mine": None},
    block_forms={
        **dict.fromkeys(BLOCKS_BY_NUMBER, frozenset({BY_HASH})),
        **dict.fromkeys(STATE_READERS, frozenset({BY_HASH, BY_OBJECT})),
        "eth_getCode": frozenset({BY_OBJECT}),
        "eth_call": frozenset({BY_HASH, BY_OBJECT, BY_DECIMAL}),
        "eth_estimateGas": frozenset({BY_HASH, BY_DECIMAL}),
    },
    hex_text_only=frozenset(
        {*BY_BLOCK_AND_INDEX, "evm_revert", "personal_unlockAccount", "web3_sha3"}
    ),
    quantities_may_be_decimal=True,
    data_may_be_incomplete=True,
    ignored_call_members=frozenset(
        {
            *("type", "accessList", "maxFeePerGas", "maxPriorityFeePerGas"),
            *("authorizationList", "blobVersionedHashes"),
        }
    ),
    data_must_equal_input=False,
    override_members_are_known=False,
    misspelt_members_are_refused=False,
    null_log_blocks_are_absent=False,
    log_limits_are_one=False,
    constant_methods={"eth_getCompilers": ["solidity"]},
    network_accounts_first=True,
    unlock_unit=0.001,
    trailing_null_topics_match=True,
    polling_mines=True,
    filter_logs_of_every_kind=True,
    result_shapes={
        **dict.fromkeys(("eth_getBlockByHash", "eth_getBlockByNumber"), "rskj_block"),
        "eth_getBlockTransactionCountByNumber": "rskj_transaction_count",
        "eth_getTransactionByHash": "rskj_transaction",
        "eth_getTransactionReceipt": "rskj_receipt",
        "eth_pendingTransactions": "rskj_pending_transactions",
        **dict.fromkeys(("eth_getLogs", "eth_getFilterLogs", "eth_getFilterChanges"), "rskj_logs"),
        "txpool_content": "rskj_pool_content",
        "txpool_inspect": "rskj_pool_summary",
    },
    notification_shapes={"newHeads": "rskj_head", "logs": "rskj_log_notification"},
    default_tracer="rskTracer",
    estimate_cap=6_800_000,
    needs_rootstock=True,
)

RSKJ_9_0_4 = replace(
    RSKJ,
    name="rskj@9.0.4",
    title="the Rootstock node rskj (VETIVER-9.0.4, regtest)",
    defaults={
        **RSKJ.defaults,
        "client_version": "RskJ/9.0.4/Linux/Java17/VETIVER-devchain",
    },
    estimate_ignores_gas=True,
)
"""From this version on (rskj's pull request 3520) a caller's gas does not limit an estimate."""
