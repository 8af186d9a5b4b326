"""JSON objects of traces, in the shapes of geth, Parity and the real node (rskj).

Gas profiles, which replays record too, are here as well.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Collection
from dataclasses import asdict
from typing import TYPE_CHECKING

from devchain.chain.block import Block, Receipt
from devchain.evm import deadline
from devchain.evm.revert_reasons import decode_error_or_panic
from devchain.rpc.json_codec import Number
from devchain.rpc.result_objects import JsonObject
from devchain.tracing.frames import SELFDESTRUCT, FlatFrame, Frame, flatten, selectors
from devchain.tracing.options import MUX, SOURCE, STRUCT_LOGS, TraceOptions
from devchain.tracing.replay import Trace
from devchain.tracing.tracers import (
    Accounts,
    AccountState,
    Difference,
    RskStructLogger,
    Step,
    Storage,
)

if TYPE_CHECKING:
    from devchain.source.gas import GasProfile
    from devchain.source.source_trace import SourceFrame, SourceTrace

WORD_LENGTH = 32
STEPS_PER_CHECK = 256  # steps encoded between two checks of the request's deadline

TraceShape = JsonObject | list[JsonObject] | None


def trace_object(trace: Trace) -> TraceShape:
    return SHAPES[trace.options.tracer](trace)


def block_trace_object(trace: Trace) -> JsonObject:
    """A trace as an element of `debug_traceBlockBy…`; those of `rskTracer` have no `txHash`."""
    if trace.options.tracer == "rskTracer" or trace.mined is None:
        return rsk_object(trace)
    return {"txHash": trace.mined[1].transaction.hash, "result": trace_object(trace)}


# rskTracer

RSK_OPCODE_NAMES = {"KECCAK256": "SHA3", "SELFDESTRUCT": "SUICIDE"}  # rskj has the old names


def rsk_object(trace: Trace) -> JsonObject:
    """The shape of rskj: hex without 0x, depth from 0, storage at every opcode.

    `initStorage` and `currentStorage` have the slots that the transaction accessed and that are not
    zero. A transaction that executed no code is shown as a transfer.
    """
    log, top = trace.steps, trace.top
    if not isinstance(log, RskStructLogger) or not log.steps:
        return _rsk_transfer(trace)
    initial, current = log.initial_storage.get(top.to, {}), log.storage.get(top.to, {})
    return {
        "contractAddress": top.to.hex(),
        "initStorage": _rsk_storage(initial),
        "structLogs": [_rsk_step(step) for step in log.steps],
        "result": top.output.hex(),
        "error": "" if top.reverted else top.error or "",
        "reverted": top.reverted,
        "storageSize": Number(len(current)),
        "currentStorage": _rsk_storage(current),
    }


def _rsk_step(step: Step) -> JsonObject:
    return {
        "op": RSK_OPCODE_NAMES.get(step.op, step.op),
        "depth": Number(step.depth - 1),
        "pc": Number(step.pc),
        "gas": Number(step.gas),
        "gasCost": Number(step.cost),
        **_words_without_0x(step),
    }


def _words_without_0x(step: Step) -> JsonObject:
    members: JsonObject = {}
    if step.memory is not None:
        members["memory"] = [word.hex() for word in _memory_words(step.memory)]
    if step.stack is not None:
        members["stack"] = [f"{word:064x}" for word in step.stack]
    if step.storage is not None:
        members["storage"] = _rsk_storage(step.storage)
    return members


def _rsk_storage(storage: Storage) -> dict[str, str]:
    return {f"{slot:064x}": f"{value:064x}" for slot, value in storage.items()}


def _rsk_transfer(trace: Trace) -> JsonObject:
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


# Struct logs


def struct_logs_object(trace: Trace) -> JsonObject:
    """Geth's default: gas used, returned data, and every opcode; as Hardhat 2 with `full_steps`."""
    is_full = trace.options.full_steps
    write = _full_step if is_full else _struct_log
    return {
        "gas": Number(trace.top.gas_used),
        "failed": trace.top.error is not None,
        "returnValue": trace.top.output or ("" if is_full else b""),
        "structLogs": [
            write(step)
            for step in deadline.checked(trace.steps.steps if trace.steps else (), STEPS_PER_CHECK)
        ],
    }


def _struct_log(step: Step) -> JsonObject:
    members: JsonObject = {
        "pc": Number(step.pc),
        "op": step.op,
        "gas": Number(step.gas),
        "gasCost": Number(step.cost),
        "depth": Number(step.depth),
    }
    if step.error:
        members["error"] = step.error
    if step.stack is not None:
        members["stack"] = step.stack
    if step.return_data:
        members["returnData"] = step.return_data
    if step.memory:
        members["memory"] = _memory_words(step.memory)
    if step.storage:
        members["storage"] = _storage(step.storage)
    if step.refund:
        members["refund"] = Number(step.refund)
    return members


def _full_step(step: Step) -> JsonObject:
    return {
        "depth": Number(step.depth),
        "gas": Number(step.gas),
        "gasCost": Number(min(step.cost, step.gas)),
        "op": step.op,
        "pc": Number(step.pc),
        **_words_without_0x(step),
    }


def _memory_words(memory: bytes) -> list[bytes]:
    return [memory[start : start + WORD_LENGTH] for start in range(0, len(memory), WORD_LENGTH)]


def _storage(storage: Storage) -> dict[str, bytes]:
    return {f"0x{slot:064x}": _word(value) for slot, value in storage.items()}


def _word(number: int) -> bytes:
    return number.to_bytes(WORD_LENGTH, "big")


# callTracer


def _call(frame: Frame, options: TraceOptions) -> JsonObject:
    members: JsonObject = {
        "from": frame.sender,
        "gas": frame.gas,
        "gasUsed": frame.gas_used,
        "to": frame.to,
        "input": frame.input,
    }
    if frame.is_creation and frame.error:
        del members["to"]
    if frame.output:
        members["output"] = frame.output
    if frame.error:
        members["error"] = frame.error
    if frame.reverted and decode_error_or_panic(frame.output):
        members["revertReason"] = decode_error_or_panic(frame.output)
    if frame.calls and not options.only_top_call:
        members["calls"] = [_call(call, options) for call in frame.calls]
    if frame.logs and options.with_log:
        members["logs"] = [
            {
                "address": log.address,
                "topics": list(log.topics),
                "data": log.data,
                "index": log.index,
                "position": 0 if options.only_top_call else log.position,
            }
            for log in frame.logs
        ]
    if frame.value is not None:
        members["value"] = frame.value
    return {**members, "type": frame.kind}


# prestateTracer


def prestate_object(trace: Trace) -> JsonObject:
    """Geth's accounts before the transaction; with `diffMode` before and after, if changed."""
    if isinstance(trace.accounts, Difference):
        before, after = trace.accounts.before, trace.accounts.after
        return {"post": _accounts(after, changed=True), "pre": _accounts(before)}
    return _accounts(trace.accounts or {})


def _accounts(accounts: Accounts, *, changed: bool = False) -> JsonObject:
    return {
        f"0x{address.hex()}": _account(account, changed=changed)
        for address, account in accounts.items()
    }


def _account(account: AccountState, *, changed: bool) -> JsonObject:
    members: JsonObject = {}
    if account.balance is not None:
        members["balance"] = account.balance
    if account.code or (changed and account.code is not None):
        members["code"] = account.code
    if account.code_hash is not None:
        members["codeHash"] = account.code_hash
    if account.nonce:
        members["nonce"] = Number(account.nonce)
    if account.storage:
        members["storage"] = _storage(account.storage)
    return members


# flatCallTracer and `trace_` methods


def flat_calls_object(trace: Trace) -> list[JsonObject]:
    """Geth's variant of Parity's shape: geth's error messages, and results of reverted calls."""
    options = trace.options
    traces = []
    for flat in flatten(trace.top, precompiles=options.include_precompiles):
        frame = flat.frame
        members = {"action": _action(flat, geth=True), **_place(flat, trace.mined)}
        if frame.kind != SELFDESTRUCT and (not frame.error or frame.reverted):
            members["result"] = _result(frame)
        if frame.error:
            members["error"] = frame.parity_error if options.convert_parity_errors else frame.error
        traces.append(members)
    return traces


def parity_object(block: Block, receipt: Receipt, flat: FlatFrame) -> JsonObject:
    """A call, creation or self-destruct in Parity's shape; without a result if it failed."""
    return _parity_object(flat, _place(flat, (block, receipt)))


def _parity_object(flat: FlatFrame, place: JsonObject) -> JsonObject:
    frame = flat.frame
    failed = frame.error is not None or frame.kind == SELFDESTRUCT
    members = {"action": _action(flat, geth=False), **place}
    if frame.error:
        members["error"] = frame.parity_error
    return {**members, "result": None if failed else _result(frame)}


def parity_results(trace: Trace, kinds: Collection[str]) -> JsonObject:
    """The output of a call or transaction, its traces and its changes of the state, as asked."""
    difference = trace.accounts if isinstance(trace.accounts, Difference) else None
    flats = flatten(trace.top) if "trace" in kinds else ()
    return {
        "output": trace.top.output,
        "stateDiff": _state_diff(difference) if difference else None,
        "trace": [_parity_object(flat, _position(flat)) for flat in flats],
        "vmTrace": None,
    }


def _state_diff(difference: Difference) -> JsonObject:
    return {
        f"0x{address.hex()}": _account_diff(
            difference.before.get(address), difference.after.get(address)
        )
        for address in {**difference.before, **difference.after}
    }


def _account_diff(before: AccountState | None, after: AccountState | None) -> JsonObject:
    # An account of `before` has all of its fields, one of `after` those that changed.
    nothing = AccountState(0, 0, b"", None)
    old, new = before or nothing, after or nothing

    def change(was: object, now: object) -> object:
        if before is None:
            return {"+": now or was}
        if after is None:
            return {"-": was}
        return "=" if now is None or now == was else {"*": {"from": was, "to": now}}

    return {
        "balance": change(old.balance, new.balance),
        "code": change(old.code, new.code),
        "nonce": change(old.nonce, new.nonce),
        "storage": {
            f"0x{slot:064x}": change(
                _word(old.storage.get(slot, 0)), _word(new.storage.get(slot, 0))
            )
            for slot in sorted({*old.storage, *new.storage})
        },
    }


def _place(flat: FlatFrame, place: tuple[Block, Receipt] | None) -> JsonObject:
    block, receipt = place or (None, None)
    return {
        "blockHash": block.hash if block else None,
        "blockNumber": Number(block.number if block else 0),
        "transactionHash": receipt.transaction.hash if receipt else None,
        "transactionPosition": Number(receipt.index if receipt else 0),
        **_position(flat),
    }


def _position(flat: FlatFrame) -> JsonObject:
    kind = {SELFDESTRUCT: "suicide"}.get(flat.frame.kind, "call")
    return {
        "type": "create" if flat.frame.is_creation else kind,
        "subtraces": Number(flat.subtraces),
        "traceAddress": [Number(index) for index in flat.path],
    }


def _action(flat: FlatFrame, *, geth: bool) -> JsonObject:
    frame = flat.frame
    if frame.kind == SELFDESTRUCT:
        return {"address": frame.sender, "balance": frame.value, "refundAddress": frame.to}
    common = {"from": frame.sender, "gas": frame.gas, "value": frame.value or 0}
    if not frame.is_creation:
        return {**common, "callType": frame.kind.lower(), "to": frame.to, "input": frame.input}
    method = {"creationMethod": frame.kind.lower()} if geth or flat.path else {}
    return {**common, "init": frame.input, **method}


def _result(frame: Frame) -> JsonObject:
    if not frame.is_creation:
        return {"gasUsed": frame.gas_used, "output": frame.output}
    address = {} if frame.error else {"address": frame.to}
    return {**address, "gasUsed": frame.gas_used, "code": frame.output}


# sourceTracer


def source_object(trace: Trace) -> JsonObject | None:
    locate = trace.options.locate
    return source_trace_object(locate(trace.top)) if trace.top.failure and locate else None


def source_trace_object(trace: SourceTrace) -> JsonObject:
    """A source trace: values for programs, and `text`, lines for people, escaped and shortened."""
    return {
        "reason": trace.reason,
        "hint": trace.hint or None,
        "frames": [_source_frame(frame) for frame in trace.frames],
        "text": trace.text_lines,
    }


def _source_frame(frame: SourceFrame) -> JsonObject:
    members: JsonObject = {
        "contract": frame.contract or None,
        "function": frame.function or None,
        "kind": frame.kind or None,
        "arguments": frame.arguments,
        "path": frame.path or None,
    }
    places = frame.line, frame.column, frame.end_line, frame.end_column
    for name, number in zip(("line", "column", "endLine", "endColumn"), places, strict=True):
        members[name] = Number(number) if number else None
    values = [{"name": name, "value": value} for name, value in frame.values]
    note = frame.note or None
    return {**members, "confidence": frame.confidence.value, "note": note, "values": values}


# Gas profiles


def gas_profile_object(profile: GasProfile) -> JsonObject:
    """The object of a profile; lists begin with the most gas."""
    stacks = [(above[1:], node) for above, node in profile.stacks.walk() if above]
    return {
        "gasUsed": profile.gas_used,
        "refunds": profile.refunds,
        "functions": [asdict(function) for function in profile.functions()],
        "lines": [
            {
                "path": path if number else None,
                "line": number or None,
                "function": None if number else path or None,
                "note": note,
                "text": line.text,
                "gas": line.gas,
                "generated": line.generated,
            }
            for (path, number, note), line in profile.sorted_lines()
        ],
        "storage": [
            {
                "contract": contract,
                "variable": variable,
                "reads": use.reads,
                "writes": use.writes,
                "gas": use.gas,
                "coldGas": use.cold_gas,
            }
            for (contract, variable), use in profile.sorted_storage()
        ],
        "stacks": [
            {"functions": [*above, node.name], "gas": node.gas, "calls": node.calls}
            for above, node in sorted(stacks, key=lambda stack: -stack[1].gas)
        ],
    }


SHAPES: dict[str, Callable[[Trace], TraceShape]] = {
    STRUCT_LOGS: struct_logs_object,
    "callTracer": lambda trace: _call(trace.top, trace.options),
    "prestateTracer": prestate_object,
    "4byteTracer": lambda trace: {
        f"0x{selector.hex()}-{size}": Number(count)
        for (selector, size), count in selectors(trace.top).items()
    },
    "flatCallTracer": flat_calls_object,
    "rskTracer": rsk_object,
    SOURCE: source_object,
    MUX: lambda trace: {part.options.tracer: trace_object(part) for part in trace.parts},
}
