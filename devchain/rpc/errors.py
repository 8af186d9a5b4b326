"""JSON-RPC error codes: the code of each class of errors, and the error object a client gets."""

from __future__ import annotations

from typing import Any

from devchain import errors
from devchain.config import Config
from devchain.errors import (
    DevchainError,
    ExecutionReverted,
    RpcFailure,
    Simulation,
    SimulationRefused,
    VmError,
)
from devchain.presets.fields import ANY_METHOD, REFUSED, SENT, ErrorText, Preset, ResultInstead
from devchain.rpc.json_codec import encode

INTERNAL_ERROR = -32603
VM_PREFIX = "VM Exception while processing transaction: "


CODES: dict[type[DevchainError], int] = {
    errors.ParseFailed: -32700,
    errors.InvalidRequest: -32600,
    errors.MethodNotFound: -32601,
    errors.InvalidParams: -32602,
    errors.DevchainError: -32000,
    errors.InvalidInput: -32602,
    errors.NotFound: -32000,
    errors.TransactionPending: 4,
    errors.AccountUnavailable: -32000,
    errors.EstimateFailed: -32000,
    errors.MalformedTransaction: -32602,
    errors.TransactionRejected: -32010,
    errors.ExecutionTimedOut: -32011,
    errors.BatchTimedOut: -32011,
    errors.LimitExceeded: -32012,
    errors.VmError: -32015,
    errors.UpstreamFailed: -32002,
    errors.PendingUnsupported: -32201,
    errors.RootstockOnly: -32601,
    errors.BitcoinRejected: -32010,
    errors.BitcoinUnavailable: -32601,
    errors.WorkRefused: -33000,
}
"""Error class: code. A class without a row has the code of its nearest ancestor."""

MEANINGS = {
    4: "the transaction waits in the mempool; `data` is its hash (EIP-7966)",
    -32602: "the parameters do not fit the method",
    -32002: "the node that the chain was forked from gives no answer",
    -32000: "not found, not available, or not possible",
    -32010: "the transaction is refused",
    -32011: "the request takes longer than the node allows",
    -32012: "a limit of this node is exceeded",
    -32015: "the execution reverted or failed",
    -32201: "the hosted service does not accept `pending`",
    -32601: "the method is not available on this node",
    -33000: "the submitted work is refused",
    **{
        int(kind): f"a simulation is refused: {kind.name.lower().replace('_', ' ')}"
        for kind in Simulation
    },
}
"""What a code means, for the OpenRPC document."""


def code_of(kind: type[DevchainError]) -> int:
    return next(CODES[ancestor] for ancestor in kind.__mro__ if ancestor in CODES)


def error_object(
    error: DevchainError, config: Config, revert_code: int | None = None, method: str = ANY_METHOD
) -> dict[str, Any]:
    """The `error` member of a response to a call of that method, as the node's preset has it.

    `revert_code` replaces the configured code of a revert.
    """
    if isinstance(error, RpcFailure):
        return {"code": error.code, "message": error.message}
    members: dict[str, Any]
    if isinstance(error, VmError):
        is_revert = isinstance(error, ExecutionReverted)
        members = {
            "code": revert_code if is_revert and revert_code else config.effective_revert_code,
            "message": f"{VM_PREFIX}{error}",
        }
    else:
        code = error.kind if isinstance(error, SimulationRefused) else code_of(type(error))
        members = {"code": int(code), "message": str(error)}
    preset = config.preset
    row = preset_row(error, preset, method)
    if isinstance(row, ErrorText):
        if row.code is not None:
            members["code"] = row.code
        if row.text is not None:
            members["message"] = row.message(error)
    data = _data(error, members["message"], preset, method)
    return members if data is None else {**members, "data": data}


def _data(
    error: DevchainError, message: str, preset: Preset, method: str
) -> str | dict[str, Any] | None:
    if isinstance(error, errors.TransactionPending):
        return f"0x{error.digits}"
    key, kind = REFUSED, ""
    if isinstance(error, VmError):
        key = method if error.transaction_hash is None else SENT
        kind = "revert" if isinstance(error, ExecutionReverted) else str(error)
    members = preset.error_data.get(key)
    if members is None:
        return f"0x{error.digits}" if isinstance(error, VmError) else None
    values = {"message": message, "kind": kind}
    data = {}
    for name, attribute in members.items():
        value = values.get(attribute) or encode(getattr(error, attribute, None))
        if value or attribute != "stack_trace":
            data[name] = value or None
    return data


def preset_row(
    error: DevchainError, preset: Preset, method: str = ANY_METHOD
) -> ErrorText | ResultInstead | None:
    """What the preset has instead of an error of that method; None to keep devchain's.

    The method's own rows are preferred. A row for a class holds for its subclasses up to those with
    a row in `CODES`.
    """
    for key in (method, ANY_METHOD):
        rows = preset.errors.get(key, {})
        for kind in type(error).__mro__ if rows else ():
            if kind in rows:
                return rows[kind]
            if kind in CODES:
                break
    return None
