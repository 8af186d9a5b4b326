"""Foundry's anvil."""

from __future__ import annotations

from devchain import errors
from devchain.presets.fields import (
    ANY_METHOD,
    UNLIMITED_SLOTS,
    ErrorRows,
    ErrorText,
    EstimateFunds,
    MissingGas,
    Preset,
)

PANICS = {
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
NULL_RESULTS = (
    *("evm_setNextBlockTimestamp", "evm_setAutomine", "hardhat_setBalance", "hardhat_setNonce"),
    *("hardhat_setCode", "hardhat_setCoinbase", "hardhat_impersonateAccount"),
    *("hardhat_stopImpersonatingAccount", "hardhat_setLoggingEnabled", "hardhat_mine"),
    *("hardhat_dropTransaction", "hardhat_reset", "hardhat_setNextBlockBaseFeePerGas"),
    *("hardhat_setMinGasPrice", "anvil_setIntervalMining", "anvil_autoImpersonateAccount"),
    *("tenderly_setBalance", "tenderly_addBalance"),
    *("anvil_addBalance", "anvil_dealERC20", "anvil_setERC20Allowance"),
    *("anvil_dropAllTransactions", "anvil_removePoolTransactions"),
    *("anvil_setBlockTimestampInterval", "anvil_rollback", "anvil_reorg", "anvil_setRpcUrl"),
)
"""Methods that set something and answer null, which is all that Foundry's own clients accept."""
RECEIPTS = (
    *("eth_getTransactionReceipt", "eth_getBlockReceipts"),
    *("eth_sendRawTransactionSync", "eth_sendTransactionSync"),
)
SELECTOR_SIZE = 4
NO_FUNDS = ErrorText("Insufficient funds for gas * price + value", -32003)


def _no_block(error: errors.BlockNotFound) -> str:
    if error.number is None:
        return str(error)
    return f"BlockOutOfRangeError: block height is {error.newest} but requested was {error.number}"


def _revert(error: errors.ExecutionReverted) -> str:
    code, payload = error.panic_code, error.payload
    if code is not None:
        return f"execution reverted: panic: {PANICS.get(code, 'unknown code')} ({code:#04x})"
    if error.has_reason or error.custom_error or not payload:
        return str(error)
    return f"execution reverted: {_text(payload, ascii_only=True) or _unknown_error(payload)}"


def _unknown_error(payload: bytes) -> str:
    selector, values = payload[:SELECTOR_SIZE], payload[SELECTOR_SIZE:]
    if len(selector) < SELECTOR_SIZE:
        return f"custom error bytes 0x{selector.hex()}"
    shown = f": {_text(values) or values.hex()}" if values else ""
    return f"custom error 0x{selector.hex()}{shown}"


def _text(raw: bytes, *, ascii_only: bool = False) -> str:
    # Empty for other bytes, and for control characters, which anvil shows, too.
    try:
        text = raw.decode("ascii" if ascii_only else "utf-8")
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() else ""


ERRORS: dict[str, ErrorRows] = {
    ANY_METHOD: {
        errors.InvalidRequest: ErrorText("Invalid request"),
        errors.MethodNotFound: ErrorText("Method not found"),
        errors.BlockNotFound: ErrorText(_no_block, -32602),
        errors.BlockHashNotFound: ErrorText("Resource not found", -32001),
        errors.FilterNotFound: ErrorText("filter not found"),
        errors.AccountUnknown: ErrorText("No Signer available", -32602),
        errors.TransactionRejected: ErrorText(code=-32003),
        errors.MalformedTransaction: ErrorText(code=-32602),
        errors.AlreadyKnown: ErrorText("transaction already imported", -32003),
        errors.NonceTooLow: ErrorText("nonce too low", -32003),
        errors.InsufficientFunds: NO_FUNDS,
        errors.TransferUnaffordable: NO_FUNDS,
        errors.GasPriceTooLow: ErrorText("max fee per gas less than block base fee", -32003),
        errors.ReplacementUnderpriced: ErrorText("replacement transaction underpriced", -32003),
        errors.GasLimitExceeded: ErrorText(
            "intrinsic gas too high -- tx.gas_limit > env.block.gas_limit{error.details}", -32000
        ),
        errors.IntrinsicGasTooLow: ErrorText("intrinsic gas too low", -32000),
        errors.GasAllowanceExceeded: ErrorText(
            "Out of gas: gas required exceeds allowance: {error.allowance}", -32003
        ),
        errors.ExecutionReverted: ErrorText(_revert),
        errors.ExecutionOutOfGas: ErrorText("EVM error OutOfGas", -32000),
        errors.ExecutionFailed: ErrorText("EVM error: {error}", -32000),
    }
}

ANVIL = Preset(
    name="anvil",
    title="anvil (1.7.1)",
    defaults={
        "gas_limit": 30_000_000,
        "coinbase": "0x" + "00" * 20,
        "account_slots": UNLIMITED_SLOTS,
        "request_timeout": 30.0,  # it has no limit
        "predeploy": ("create2",),
        "extra_data": "0x",
        "revert_code": 3,
        "client_version": "anvil/v1.7.1/devchain",
    },
    errors=ERRORS,
    misspelt_members_are_refused=False,
    gas_price_excludes_caps=False,
    whole_words=frozenset({"hardhat_setStorageAt"}),
    fee_cap_is_gas_price=True,
    underpriced_wait=False,
    any_higher_price_replaces=True,
    missing_gas=MissingGas.ESTIMATE,
    first_account_sends=True,
    one_mining_mode=True,
    estimate_funds=EstimateFunds.OF_CODE,
    constant_results=dict.fromkeys(NULL_RESULTS),
    result_shapes={
        "eth_getBlockByNumber": "anvil_block",
        "evm_increaseTime": "number",
        **dict.fromkeys(RECEIPTS, "anvil_receipts"),
    },
    local_chain_id=31_337,
)
