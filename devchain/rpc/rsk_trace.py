"""The real node's own trace, with the true results."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from devchain.rpc.codec import Number
from devchain.tracing.session import Trace
from devchain.tracing.steps import Step, Storage

JsonObject = dict[str, Any]
WORD = 32
OLD_NAMES = {"KECCAK256": "SHA3", "SELFDESTRUCT": "SUICIDE"}
"""Opcodes by the names the node still gives them."""


def rsk_object(trace: Trace) -> JsonObject:
    """Hex without 0x, depth from 0, and the storage a frame knows at every opcode.

    `initStorage` and `currentStorage` have the slots the transaction touched. Where no code ran
    the node tells of the transfer alone.
    """
    log, top = trace.steps, trace.top
    if log is None or not log.steps:
        return _transfer(trace)
    initial, current = log.storage_before.get(top.to, {}), trace.storage_after.get(top.to, {})
    return {
        "contractAddress": top.to.hex(),
        "initStorage": _storage(initial),
        "structLogs": [_step(step) for step in log.steps],
        "result": top.output.hex(),
        "error": "" if top.reverted else top.error or "",
        "reverted": top.reverted,
        "storageSize": Number(sum(1 for value in current.values() if value)),
        "currentStorage": _storage(current),
    }


def _step(step: Step) -> JsonObject:
    shown: JsonObject = {
        "op": OLD_NAMES.get(step.op, step.op),
        "depth": Number(step.depth - 1),
        "pc": Number(step.pc),
        "gas": Number(step.gas),
        "gasCost": Number(step.cost),
    }
    if step.memory is not None:
        ends = range(0, len(step.memory), WORD)
        shown["memory"] = [step.memory[start : start + WORD].hex() for start in ends]
    if step.stack is not None:
        shown["stack"] = [f"{word:064x}" for word in step.stack]
    if step.storage is not None:
        shown["storage"] = _storage(step.storage)
    return shown


def _storage(storage: Storage) -> dict[str, str]:
    return {f"{slot:064x}": f"{value:064x}" for slot, value in storage.items()}


def _transfer(trace: Trace) -> JsonObject:
    top = trace.top
    return {
        "programInvoke": None,
        "transferInvoke": {
            "ownerAddress": top.to.hex().zfill(64),
            "callerAddress": top.sender.hex().zfill(64),
            "gas": Number(0),
            "callValue": f"{top.value or 0:064x}",
            "msgData": b64encode(top.input).decode() or None,
        },
        "subtraces": [],
        "result": top.output.hex() if top.output else None,
        "error": None if top.reverted else top.error,
        "reverted": top.reverted,
    }
