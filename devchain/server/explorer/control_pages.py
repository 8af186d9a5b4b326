"""The page of buttons for mining, time and snapshots, and what the explorer's forms do.

Each form becomes JSON-RPC requests, as any other client would send them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.server.explorer.contract_pages import transaction_call
from devchain.server.explorer.page import Page, RawCall
from devchain.server.explorer.reader import Reader
from devchain.text import moment

MAX_SNAPSHOTS = 50
Form = Mapping[str, str]


def control(reader: Reader) -> Page:
    """Forms that mine, move time, take and revert to snapshots, impersonate and reset."""
    node = reader.node
    taken = [(number, snapshot.chain.height) for number, snapshot in node.snapshots.all().items()]
    return Page(
        "control.html",
        "Control",
        {
            "automatic": node.miner.automatic,
            "clock": moment(reader.now),
            "head_time": moment(node.chain.head.timestamp),
            "snapshots": sorted(taken, reverse=True)[:MAX_SNAPSHOTS],
            "impersonated": [
                reader.account(account) for account in node.accounts.impersonated()[:50]
            ],
            "pending": len(node.mempool),
        },
        raw=[
            ("eth_getBlockByNumber", ["latest", False]),
            ("devchain_getTime", []),
            ("hardhat_getAutomine", []),
            ("txpool_status", []),
        ],
        section="control",
    )


@dataclass(frozen=True, slots=True)
class Action:
    """A form: the calls of its fields; the page (empty for its own) and note of their results."""

    calls: Callable[[Node, Form], Sequence[RawCall]]
    outcome: Callable[[Sequence[Any]], tuple[str, str]]


def _whole(form: Form, name: str, default: int | None = None) -> int:
    text = form.get(name, "").strip().replace(",", "").replace("_", "")
    if not text and default is not None:
        return default
    if not (text.isascii() and text.isdigit()) or len(text) > 30:
        raise InvalidInput(f"{name} must be a whole number, such as 10")
    return int(text)


def _one_call(method: str, note: str, *fields: str) -> Action:
    # A call of a method whose parameters are texts of the form.
    return Action(
        lambda _node, form: [(method, [form.get(name, "").strip() for name in fields])],
        lambda _: ("", note),
    )


ACTIONS: Mapping[str, Action] = {
    "do/mine": Action(
        lambda _node, form: [
            ("hardhat_mine", [hex(_whole(form, name, 1)) for name in ("blocks", "interval")])
        ],
        lambda _: ("", "Mined."),
    ),
    "do/snapshot": Action(
        lambda _node, _form: [("evm_snapshot", [])],
        lambda results: ("", f"Snapshot {int(results[0], 16)} taken."),
    ),
    "do/revert": Action(
        lambda _node, form: [("evm_revert", [hex(_whole(form, "snapshot"))])],
        lambda results: ("", "Reverted." if results[0] else "There is no such snapshot."),
    ),
    "do/reset": _one_call("hardhat_reset", "The chain is back at its first block."),
    "do/time": Action(
        lambda _node, form: [("evm_increaseTime", [_whole(form, "seconds")]), ("evm_mine", [])],
        lambda _: ("", "The clock is ahead, and a block was mined with its time."),
    ),
    "do/automine": Action(
        lambda _node, form: [("evm_setAutomine", [form.get("on") == "1"])],
        lambda _: ("", "Automatic mining is changed."),
    ),
    "do/impersonate": _one_call(
        "hardhat_impersonateAccount",
        "The account is impersonated: it can send without its key.",
        "address",
    ),
    "do/stop-impersonating": _one_call(
        "hardhat_stopImpersonatingAccount", "The account is no longer impersonated.", "address"
    ),
    "do/call": Action(
        transaction_call, lambda results: (f"/tx/{results[0]}", "The transaction is sent.")
    ),
}
