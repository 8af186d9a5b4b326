"""Which JSON-RPC code each refusal gets, and the error object it becomes."""

from __future__ import annotations

from typing import Any

from devchain.config import Config
from devchain.errors import (
    AccountUnavailable,
    DevchainError,
    EstimateFailed,
    ExecutionTimedOut,
    InvalidInput,
    LimitExceeded,
    MalformedTransaction,
    NotFound,
    PendingUnsupported,
    RootstockOnly,
    RpcFailure,
    SimulatedBlockFull,
    SimulatedFeeTooLow,
    SimulatedGasTooLow,
    SimulatedNonceTooHigh,
    SimulatedNonceTooLow,
    SimulatedNumberTooLow,
    SimulatedSenderHasCode,
    SimulatedTimestampTooLow,
    SimulatedUnaffordable,
    SimulationRefused,
    SimulationTooLarge,
    TransactionRejected,
    VmError,
    WorkRefused,
)

INTERNAL_ERROR = -32603
VM_PREFIX = "VM Exception while processing transaction: "


class ParseFailed(DevchainError):
    """The body is not JSON that can be taken in."""


class InvalidRequest(DevchainError):
    """The JSON is not a JSON-RPC request."""


class MethodNotFound(DevchainError):
    """No such method here."""


class InvalidParams(DevchainError):
    """The parameters do not fit the method."""


CODES: dict[type[DevchainError], int] = {
    ParseFailed: -32700,
    InvalidRequest: -32600,
    MethodNotFound: -32601,
    InvalidParams: -32602,
    DevchainError: -32000,
    InvalidInput: -32602,
    NotFound: -32000,
    AccountUnavailable: -32000,
    EstimateFailed: -32000,
    MalformedTransaction: -32602,
    TransactionRejected: -32010,
    ExecutionTimedOut: -32011,
    LimitExceeded: -32012,
    VmError: -32015,
    PendingUnsupported: -32201,
    RootstockOnly: -32601,
    WorkRefused: -33000,
    SimulationRefused: -32602,
    SimulatedNonceTooLow: -38010,
    SimulatedNonceTooHigh: -38011,
    SimulatedFeeTooLow: -38012,
    SimulatedGasTooLow: -38013,
    SimulatedUnaffordable: -38014,
    SimulatedBlockFull: -38015,
    SimulatedNumberTooLow: -38020,
    SimulatedTimestampTooLow: -38021,
    SimulatedSenderHasCode: -38024,
    SimulationTooLarge: -38026,
}
"""The code of a class; one without a row has its nearest ancestor's."""


def code_of(kind: type[DevchainError]) -> int:
    """The JSON-RPC code of a class of refusals."""
    return next(CODES[each] for each in kind.__mro__ if each in CODES)


def error_object(error: DevchainError, config: Config) -> dict[str, Any]:
    """The `error` member that tells a client of this refusal."""
    if isinstance(error, RpcFailure):
        return {"code": error.code, "message": error.message}
    if isinstance(error, VmError):
        data = "0x" + error.payload.hex()
        return {
            "code": config.effective_revert_code,
            "message": f"{VM_PREFIX}{error}",
            "data": data,
        }
    return {"code": code_of(type(error)), "message": str(error)}
