"""What a transaction did on a node that is no devchain: its calls, by the node's `callTracer`.

geth's tracer, which anvil, geth, erigon, reth and newer versions of rskj have. Loads py-evm: import
this module only where it is used.
"""

from __future__ import annotations

from typing import Any

from devchain.client.http import Client
from devchain.client.project_names import names_on
from devchain.client.views import data_bytes, number
from devchain.errors import InvalidInput
from devchain.evm.revert_reasons import revert_message
from devchain.networks import coin
from devchain.source.call_tree import call_tree
from devchain.tracing.error_texts import REVERTED, FrameFailure
from devchain.tracing.frames import Frame, FrameLog
from devchain.types import Address

TRACER = {"tracer": "callTracer", "tracerConfig": {"withLog": True}}
MAX_DEPTH = 256
"""Calls nested deeper are not drawn: Python's stack is limited."""


def explain_traced(node: Client, tx_hash: str) -> dict[str, Any]:
    """The members `callTree` and `failure` of `devchain_explainTransaction`.

    Empty if the node returns something else than calls; raises `RpcFailure` if it does not trace.
    """
    traced = node.call("debug_traceTransaction", tx_hash, TRACER)
    if not isinstance(traced, dict) or "type" not in traced:
        return {}  # the steps of a node that knows no tracers
    chain_id = number(node.call("eth_chainId")) or 0
    try:
        top = _frame(traced)
    except (InvalidInput, TypeError, ValueError, OverflowError):
        return {}
    names = names_on(node)
    failure = None
    if top.failure:
        failure = revert_message(top.output, names.registry) if top.reverted else top.failure.geth
    tree = call_tree(top, names, coin(chain_id))
    return {"failure": failure, "callTree": tree.splitlines()}


def _frame(call: object, depth: int = 0) -> Frame:
    if not isinstance(call, dict) or depth > MAX_DEPTH:
        raise InvalidInput("the node returned no calls, or calls nested too deep")
    error = call.get("error")
    failure = None
    if error:
        is_revert = "revert" in str(error).lower()
        failure = REVERTED if is_revert else FrameFailure(str(error))
    return Frame(
        kind=str(call.get("type") or "CALL").upper(),
        sender=_address(call.get("from")),
        to=_address(call.get("to")),
        gas=number(call.get("gas")) or 0,
        input=data_bytes(call.get("input") or "0x"),
        value=number(call.get("value")),
        gas_used=number(call.get("gasUsed")) or 0,
        output=data_bytes(call.get("output") or "0x"),
        failure=failure,
        calls=[_frame(inner, depth + 1) for inner in call.get("calls") or ()],
        logs=[_log(log) for log in call.get("logs") or ()],
    )


def _log(log: object) -> FrameLog:
    if not isinstance(log, dict):
        raise InvalidInput("the node returned something that is no log")
    return FrameLog(
        address=_address(log.get("address")),
        topics=tuple(number(topic) or 0 for topic in log.get("topics") or ()),
        data=data_bytes(log.get("data") or "0x"),
        index=number(log.get("index")) or 0,
        position=number(log.get("position")) or 0,
    )


def _address(text: object) -> Address:
    raw = data_bytes(text or "0x")
    return Address(raw if len(raw) == 20 else bytes(20))
