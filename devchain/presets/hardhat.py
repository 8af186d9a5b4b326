"""Hardhat: what a project's tests get in Hardhat's own process, as far as JSON-RPC can carry it.

Version 3 answers nearly the same over HTTP; version 2 there has the code -32603, `Error: ` before
each message, and an object for `data`.
"""

from __future__ import annotations

from devchain import errors
from devchain.presets.preset import (
    ANY_METHOD,
    HASH_AND_PAYLOAD,
    REFUSED,
    SENT,
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
CANNOT_QUEUE = " Note that transactions can't be queued when automining."


def _no_method(error: errors.MethodNotFound) -> str:
    return f"Method {error.name} is not supported" if error.name else str(error)


def _no_block(error: errors.BlockNotFound) -> str:
    if error.number is None:
        return str(error)
    return f"Received invalid block tag {error.number}. Latest block number is {error.newest}"


def _revert(error: errors.ExecutionReverted) -> str:
    code = error.panic_code
    if error.custom_error:
        return f"{VM_EXCEPTION}reverted with custom error '{error.custom_error.positional}'"
    if error.has_reason:
        return f"{VM_EXCEPTION}reverted with reason string '{error.reason}'"
    if code in PANICS:
        return f"{VM_EXCEPTION}reverted with panic code {code:#x} ({PANICS[code]})"
    if code is not None:
        return f"{VM_EXCEPTION}reverted with unknown panic code {code:#x}"
    if error.payload:
        return (
            f"{VM_EXCEPTION}reverted with an unrecognized custom error "
            f"(return data: 0x{error.digits})"
        )
    return "Transaction reverted without a reason string"


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
            "Trying to send an incompatible EIP-155 transaction, signed for another chain.",
            -32602,
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
            "Transaction requires at least {error.wanted} gas but got {error.got}",
            -32000,
        ),
        errors.ExecutionReverted: ErrorText(_revert),
        errors.ExecutionOutOfGas: ErrorText("Transaction ran out of gas", -32000),
        errors.GasAllowanceExceeded: ErrorText("Transaction ran out of gas", -32000),
        errors.FilterNotFound: ResultInstead(None),
    },
}

HARDHAT = Preset(
    name="hardhat",
    title="Hardhat (2.29, 3.18)",
    defaults={
        "accounts": 20,
        "gas_limit": 60_000_000,
        "revert_on_send": True,
        "revert_code": 3,
        "client_version": "HardhatNetwork/2.29.1/devchain",
    },
    errors=ERRORS,
    misspelt_members_are_refused=False,
    error_data={SENT: HASH_AND_PAYLOAD, REFUSED: {"message": "message"}},
    empty_batch_is_request=False,
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
    local_chain_id=31_337,
)
