"""Hardhat: what a project's tests get in Hardhat's own process, as far as JSON-RPC can carry it.

Version 3 answers nearly the same over HTTP; version 2 there has the code -32603, `Error: ` before
each message, and an object for `data`.
"""

from __future__ import annotations

from devchain import errors
from devchain.presets.fields import (
    ANY_METHOD,
    HASH_AND_PAYLOAD,
    REFUSED,
    SENT,
    UNLIMITED_SLOTS,
    VM_EXCEPTION,
    ErrorRows,
    ErrorText,
    EstimateFunds,
    MissingGas,
    Preset,
    ResultInstead,
)

PANICS = {
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
UNSUPPORTED = (
    *("eth_getBlockReceipts", "eth_createAccessList", "eth_simulateV1", "eth_signTransaction"),
    *("eth_fillTransaction", "eth_sendRawTransactionSync", "eth_sendTransactionSync"),
    *("eth_getUncleCountByBlockNumber", "eth_getUncleCountByBlockHash"),
    *("eth_getUncleByBlockNumberAndIndex", "eth_getUncleByBlockHashAndIndex"),
    *("eth_getRawTransactionByHash", "eth_getTransactionBySenderAndNonce"),
    *("debug_traceBlockByNumber", "debug_traceBlockByHash", "debug_getRawTransaction"),
    *("trace_transaction", "trace_block", "trace_filter", "trace_get"),
)
"""Methods that Hardhat does not have, which programs call without parameters to find that out."""
CANNOT_QUEUE = " Note that transactions can't be queued when automining."


def _no_method(error: errors.MethodNotFound) -> str:
    return f"Method {error.name} is not supported" if error.name else str(error)


def _no_such_method(name: str) -> ErrorText:
    return ErrorText(lambda error: f"Method {name} is not supported ({error})", -32004)


def _no_block(error: errors.BlockNotFound) -> str:
    if error.number is None:
        return str(error)
    return f"Received invalid block tag {error.number}. Latest block number is {error.newest}"


def _revert(error: errors.ExecutionReverted) -> str:
    code = error.panic_code
    if error.custom_error:
        how = f"custom error '{error.custom_error.positional}'"
    elif error.has_reason:
        how = f"reason string '{error.reason}'"
    elif code in PANICS:
        how = f"panic code {code:#x} ({PANICS[code]})"
    elif code is not None:
        how = f"unknown panic code {code:#x}"
    elif error.payload:
        how = f"an unrecognized custom error (return data: 0x{error.digits})"
    else:
        return _silent_revert(error.unknown_call)
    return f"{VM_EXCEPTION}reverted with {how}"


def _silent_revert(unknown_call: bytes | None) -> str:
    if unknown_call is None:
        return "Transaction reverted without a reason string"
    lacking = "fallback" if unknown_call else "fallback nor receive"
    return (
        "Transaction reverted: function selector was not recognized and there's no "
        f"{lacking} function"
    )


ERRORS: dict[str, ErrorRows] = {
    ANY_METHOD: {
        errors.MethodNotFound: ErrorText(_no_method, -32004),
        errors.BlockNotFound: ErrorText(_no_block, -32000),
        errors.BlockHashNotFound: ErrorText(
            "Received invalid block tag 0x{error.digits}. Latest block number is {error.newest}",
            -32000,
        ),
        errors.AccountUnknown: ErrorText("Unknown account {error.address}", -32000),
        errors.TransactionRejected: ErrorText(code=-32000),
        errors.MalformedTransaction: ErrorText(code=-32602),
        errors.WrongChainId: ErrorText(
            "Trying to send an incompatible EIP-155 transaction, signed for another chain.", -32602
        ),
        errors.NonceTooLow: ErrorText(
            "Nonce too low. Expected nonce to be {error.wanted} but got {error.got}."
            + CANNOT_QUEUE,
            -32000,
        ),
        errors.NonceTooHigh: ErrorText(
            "Nonce too high. Expected nonce to be {error.wanted} but got {error.got}."
            + CANNOT_QUEUE,
            -32000,
        ),
        errors.InsufficientFunds: ErrorText(
            "Sender doesn't have enough funds to send tx. The max upfront cost is: "
            "{error.wanted} and the sender's balance is: {error.got}.",
            -32000,
        ),
        errors.GasLimitExceeded: ErrorText(
            "Transaction gas limit is {error.got} and exceeds block gas limit of "
            "{error.wanted}{error.details} (Hardhat: gas: 'auto' in the network's "
            "settings)",
            -32000,
        ),
        errors.IntrinsicGasTooLow: ErrorText(
            "Transaction requires at least {error.wanted} gas but got {error.got}", -32000
        ),
        errors.ExecutionReverted: ErrorText(_revert),
        errors.ExecutionOutOfGas: ErrorText("Transaction ran out of gas", -32000),
        errors.GasAllowanceExceeded: ErrorText("Transaction ran out of gas", -32000),
        errors.InvalidWordLength: ErrorText(
            "Storage value must be exactly 32 bytes long. Received {error.value}, which is "
            "{error.byte_count} bytes long.",
            -32000,
        ),
        errors.FilterNotFound: ResultInstead(None),
    },
    **{name: {errors.WrongParameterCount: _no_such_method(name)} for name in UNSUPPORTED},
}

HARDHAT = Preset(
    name="hardhat",
    title="Hardhat (2.29, 3.18)",
    defaults={
        "accounts": 20,
        "gas_limit": 60_000_000,
        "coinbase": "0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e",
        "account_slots": UNLIMITED_SLOTS,
        "request_timeout": 30.0,  # it has no limit
        "revert_on_send": True,
        "revert_code": 3,
        "client_version": "HardhatNetwork/2.29.1/devchain",
    },
    errors=ERRORS,
    misspelt_members_are_refused=False,
    error_data={SENT: HASH_AND_PAYLOAD, REFUSED: {"message": "message"}},
    empty_batch_is_request=False,
    whole_words=frozenset({"hardhat_setStorageAt"}),
    missing_gas=MissingGas.ESTIMATE,
    first_account_sends=True,
    waits_for_nonces=False,
    estimate_funds=EstimateFunds.NEVER,
    block_filters_begin_with_head=True,
    constant_results={"evm_mine": "0"},
    result_shapes={
        "eth_getBlockByNumber": "hardhat_block",
        "evm_increaseTime": "decimal_text",
        "evm_setNextBlockTimestamp": "first_as_decimal",
    },
    full_steps=True,  # as version 2; those of version 3 are geth's
    local_chain_id=31_337,
)
