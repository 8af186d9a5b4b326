"""ganache, with the accounts of `--deterministic`."""

from __future__ import annotations

from devchain import errors
from devchain.presets.fields import (
    ANY_METHOD,
    SENT,
    UNLIMITED_SLOTS,
    VM_EXCEPTION,
    DataMembers,
    ErrorRows,
    ErrorText,
    EstimateFunds,
    MissingGas,
    Preset,
)

MNEMONIC = "myth like bonus scare over problem client lizard pioneer submit female collect"
FAILURE_DATA: DataMembers = {
    "hash": "transaction_hash",
    "result": "payload",
    "reason": "reason",
    "message": "kind",
}

ERRORS: dict[str, ErrorRows] = {
    ANY_METHOD: {
        errors.MethodNotFound: ErrorText(
            "The method {error.name} does not exist/is not available", -32700
        ),
        errors.BlockNotFound: ErrorText("header not found", -32700),
        errors.FilterNotFound: ErrorText("filter not found", -32700),
        errors.SenderMissing: ErrorText("from not found; is required", -32700),
        errors.AccountUnknown: ErrorText("sender account not recognized", -32700),
        errors.TransactionRejected: ErrorText(code=-32000),
        errors.MalformedTransaction: ErrorText(code=-32700),
        errors.WrongChainId: ErrorText("Invalid signature v value", -32700),
        errors.NonceTooLow: ErrorText(
            "the tx doesn't have the correct nonce. account has nonce of: "
            "{error.wanted} tx has nonce of: {error.got}",
            -32000,
        ),
        errors.InsufficientFunds: ErrorText("insufficient funds for gas * price + value", -32003),
        errors.GasLimitExceeded: ErrorText("exceeds block gas limit{error.details}", -32000),
        errors.IntrinsicGasTooLow: ErrorText("intrinsic gas too low", -32000),
        errors.ReplacementUnderpriced: ErrorText("transaction underpriced", -32003),
        errors.AlreadyKnown: ErrorText("transaction underpriced", -32003),
        errors.ExecutionReverted: ErrorText(
            lambda error: VM_EXCEPTION + (f"revert {error.reason}" if error.reason else "revert")
        ),
        errors.GasAllowanceExceeded: ErrorText(VM_EXCEPTION + "out of gas", -32000),
    },
    "eth_sign": {errors.AccountUnknown: ErrorText("cannot sign data; no private key", -32700)},
}

GANACHE = Preset(
    name="ganache",
    title="ganache (7.9.2, with --deterministic)",
    defaults={
        "balance": 1_000,
        "mnemonic": MNEMONIC,
        "gas_limit": 30_000_000,
        "account_slots": UNLIMITED_SLOTS,
        "request_timeout": 30.0,  # it has no limit
        "revert_code": -32000,
        "client_version": "Ganache/v7.9.2/EthereumJS TestRPC/v7.9.2/devchain",
    },
    errors=ERRORS,
    misspelt_members_are_refused=False,
    error_data={SENT: FAILURE_DATA, "eth_estimateGas": FAILURE_DATA},
    empty_batch_is_request=False,
    missing_gas=MissingGas.FIXED,
    estimate_funds=EstimateFunds.NEVER,
    block_filters_begin_with_head=True,  # as ganache-cli 6, which came with Truffle 4
    data_may_be_incomplete=True,
    result_shapes={"eth_getBlockByNumber": "ganache_block", "evm_increaseTime": "number"},
    local_chain_id=1_337,
)
