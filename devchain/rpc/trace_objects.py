"""Traces as they leave: geth's shapes, Parity's, and the real node's."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

from devchain.chain.block import Block, Receipt
from devchain.contracts.revert_reasons import decode_reason
from devchain.evm import deadline
from devchain.rpc.json_codec import Number
from devchain.tracing.frames import SELFDESTRUCT, FlatFrame, Frame, FrameLog, flatten, selectors
from devchain.tracing.options import MUX, STRUCT_LOGS, TraceOptions
from devchain.tracing.prestate import Accounts, AccountState, Difference
from devchain.tracing.struct_logs import Step, Storage
from devchain.tracing.trace import Trace

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


Shape = JsonObject | list[JsonObject]
STEPS_A_CHECK = 256
"""Steps shown between two looks at the deadline."""


def trace_object(trace: Trace) -> Shape:
    """A trace in the shape of its tracer."""
    return SHAPES[trace.options.tracer](trace)


def mux_object(trace: Trace) -> JsonObject:
    """Geth's bundle of traces, each under its tracer's name."""
    return {each.options.tracer: trace_object(each) for each in trace.parts}


def block_entry(trace: Trace) -> JsonObject:
    """A trace as one of a block; the real node's stand there bare."""
    if trace.options.tracer == "rskTracer" or trace.place is None:
        return rsk_object(trace)
    shown = trace_object(trace)
    return {"txHash": trace.place[1].transaction.hash, "result": shown}


# Struct logs


def struct_logs_object(trace: Trace) -> JsonObject:
    """Geth's default: what the transaction used and returned, and every opcode."""
    return {
        "gas": Number(trace.top.gas_used),
        "failed": trace.top.error is not None,
        "returnValue": trace.top.output,
        "structLogs": [_step_object(step) for step in _steps(trace)],
    }


def _steps(trace: Trace) -> Iterator[Step]:
    """Its steps, as long as there is time to show them."""
    return deadline.checked(trace.steps.steps if trace.steps else (), STEPS_A_CHECK)


def _step_object(step: Step) -> JsonObject:
    shown: JsonObject = {
        "pc": Number(step.pc),
        "op": step.op,
        "gas": Number(step.gas),
        "gasCost": Number(step.cost),
        "depth": Number(step.depth),
    }
    if step.error:
        shown["error"] = step.error
    if step.stack is not None:
        shown["stack"] = step.stack
    if step.return_data:
        shown["returnData"] = step.return_data
    if step.memory:
        shown["memory"] = words(step.memory)
    if step.storage:
        shown["storage"] = {_slot(key): _word(value) for key, value in step.storage.items()}
    if step.refund:
        shown["refund"] = Number(step.refund)
    return shown


def words(memory: bytes) -> list[bytes]:
    """Memory in words of 32 bytes."""
    return [memory[start : start + WORD] for start in range(0, len(memory), WORD)]


def _slot(number: int) -> str:
    return f"0x{number:064x}"


def _word(number: int) -> bytes:
    return number.to_bytes(WORD, "big")


# callTracer


def call_object(trace: Trace) -> JsonObject:
    """Geth's tree of calls."""
    return _call(trace.top, trace.options)


def _call(frame: Frame, options: TraceOptions) -> JsonObject:
    shown: JsonObject = {
        "from": frame.sender,
        "gas": frame.gas,
        "gasUsed": frame.gas_used,
        "to": frame.to,
        "input": frame.input,
    }
    if frame.is_creation and frame.error:
        del shown["to"]
    if frame.output:
        shown["output"] = frame.output
    if frame.error:
        shown["error"] = frame.error
    if frame.reverted and decode_reason(frame.output):
        shown["revertReason"] = decode_reason(frame.output)
    if frame.calls and not options.only_top_call:
        shown["calls"] = [_call(each, options) for each in frame.calls]
    if frame.logs and options.with_log:
        shown["logs"] = [_log(each, options) for each in frame.logs]
    if frame.value is not None:
        shown["value"] = frame.value
    return {**shown, "type": frame.kind}


def _log(log: FrameLog, options: TraceOptions) -> JsonObject:
    return {
        "address": log.address,
        "topics": [_word(topic) for topic in log.topics],
        "data": log.data,
        "index": log.index,
        "position": 0 if options.only_top_call else log.position,
    }


# prestateTracer and 4byteTracer


def prestate_object(trace: Trace) -> JsonObject:
    """Geth's accounts before the transaction, or with `diffMode` what changed."""
    if isinstance(trace.accounts, Difference):
        before, after = trace.accounts.before, trace.accounts.after
        return {"post": _accounts(after, changed=True), "pre": _accounts(before)}
    return _accounts(trace.accounts or {})


def _accounts(accounts: Accounts, *, changed: bool = False) -> JsonObject:
    return {
        f"0x{address.hex()}": _account(each, changed=changed) for address, each in accounts.items()
    }


def _account(account: AccountState, *, changed: bool) -> JsonObject:
    """Code that a transaction took away is shown as empty, code never there is not shown."""
    shown: JsonObject = {}
    if account.balance is not None:
        shown["balance"] = account.balance
    if account.code or (changed and account.code is not None):
        shown["code"] = account.code
    if account.code_hash is not None:
        shown["codeHash"] = account.code_hash
    if account.nonce:
        shown["nonce"] = Number(account.nonce)
    if account.storage:
        shown["storage"] = {_slot(key): _word(value) for key, value in account.storage.items()}
    return shown


def four_byte_object(trace: Trace) -> JsonObject:
    """Geth's count of selectors."""
    return {
        f"0x{selector.hex()}-{size}": Number(count)
        for (selector, size), count in selectors(trace.top).items()
    }


# Parity's


def flat_calls_object(trace: Trace) -> list[JsonObject]:
    """Geth's rendering of Parity's shape: errors in geth's words, a revert keeps its result."""
    options = trace.options
    shown = []
    for flat in flatten(trace.top, precompiles=options.include_precompiles):
        frame = flat.frame
        each = {"action": _action(flat, geth=True), **_place(flat, trace.place)}
        if frame.kind != SELFDESTRUCT and (not frame.error or frame.reverted):
            each["result"] = _result(frame)
        if frame.error:
            in_parity = options.convert_parity_errors
            each["error"] = frame.parity_error if in_parity else frame.error
        shown.append(each)
    return shown


def parity_object(block: Block, receipt: Receipt, flat: FlatFrame) -> JsonObject:
    """A frame as `trace_` methods show it; the result of what failed is null."""
    frame = flat.frame
    failed = frame.error is not None or frame.kind == SELFDESTRUCT
    shown = {"action": _action(flat, geth=False), **_place(flat, (block, receipt))}
    if frame.error:
        shown["error"] = frame.parity_error
    return {**shown, "result": None if failed else _result(frame)}


def _place(flat: FlatFrame, place: tuple[Block, Receipt] | None) -> JsonObject:
    block, receipt = place or (None, None)
    kind = {SELFDESTRUCT: "suicide"}.get(flat.frame.kind, "call")
    return {
        "blockHash": block.hash if block else None,
        "blockNumber": Number(block.number if block else 0),
        "transactionHash": receipt.transaction.hash if receipt else None,
        "transactionPosition": Number(receipt.index if receipt else 0),
        "type": "create" if flat.frame.is_creation else kind,
        "subtraces": Number(flat.subtraces),
        "traceAddress": [Number(each) for each in flat.path],
    }


def _action(flat: FlatFrame, *, geth: bool) -> JsonObject:
    frame = flat.frame
    if frame.kind == SELFDESTRUCT:
        return {"address": frame.sender, "balance": frame.value, "refundAddress": frame.to}
    common = {"from": frame.sender, "gas": frame.gas, "value": frame.value or 0}
    if not frame.is_creation:
        return {
            **common,
            "callType": frame.kind.lower(),
            "to": frame.to,
            "input": frame.input,
        }
    with_method = geth or flat.path
    method = {"creationMethod": frame.kind.lower()} if with_method else {}
    return {**common, "init": frame.input, **method}


def _result(frame: Frame) -> JsonObject:
    if not frame.is_creation:
        return {"gasUsed": frame.gas_used, "output": frame.output}
    address = {} if frame.error else {"address": frame.to}
    return {**address, "gasUsed": frame.gas_used, "code": frame.output}


SHAPES: dict[str, Callable[[Trace], Shape]] = {
    STRUCT_LOGS: struct_logs_object,
    "callTracer": call_object,
    "prestateTracer": prestate_object,
    "4byteTracer": four_byte_object,
    "flatCallTracer": flat_calls_object,
    "rskTracer": rsk_object,
    MUX: mux_object,
}
