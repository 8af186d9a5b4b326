"""Forms of the explorer: each becomes JSON-RPC requests, as any other client would send them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from devchain.errors import InvalidInput, NotFound
from devchain.node import Node
from devchain.server.explorer.contract_pages import transaction_call
from devchain.server.explorer.page import RawCall

Form = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where a form leads: a page, empty for the form's own, and what has happened."""

    path: str
    note: str


@dataclass(frozen=True, slots=True)
class Action:
    """A form: the calls it makes of its fields, and the page and the note of their results."""

    calls: Callable[[Node, Form], Sequence[RawCall]]
    outcome: Callable[[Sequence[Any]], tuple[str, str]]


def find(path: str) -> Action:
    """The action of a form's path; raises `NotFound`."""
    action = ACTIONS.get(path)
    if action is None:
        raise NotFound("the explorer has no such form")
    return action


def _whole(form: Form, name: str, default: int | None = None) -> int:
    text = form.get(name, "").strip().replace(",", "").replace("_", "")
    if not text and default is not None:
        return default
    if not (text.isascii() and text.isdigit()) or len(text) > 30:
        raise InvalidInput(f"{name} must be a whole number, such as 10")
    return int(text)


def _mine(_node: Node, form: Form) -> list[RawCall]:
    return [("hardhat_mine", [hex(_whole(form, "blocks", 1)), hex(_whole(form, "interval", 1))])]


def _text(form: Form, name: str) -> str:
    return form.get(name, "").strip()


ACTIONS: Mapping[str, Action] = {
    "do/mine": Action(_mine, lambda _: ("", "Mined.")),
    "do/snapshot": Action(
        lambda _node, _form: [("evm_snapshot", [])],
        lambda results: ("", f"Snapshot {int(results[0], 16)} taken."),
    ),
    "do/revert": Action(
        lambda _node, form: [("evm_revert", [hex(_whole(form, "snapshot"))])],
        lambda results: ("", "Reverted." if results[0] else "There is no such snapshot."),
    ),
    "do/reset": Action(
        lambda _node, _form: [("hardhat_reset", [])],
        lambda _: ("", "The chain is back at its first block."),
    ),
    "do/time": Action(
        lambda _node, form: [("evm_increaseTime", [_whole(form, "seconds")]), ("evm_mine", [])],
        lambda _: ("", "The clock is ahead, and a block was mined with its time."),
    ),
    "do/automine": Action(
        lambda _node, form: [("evm_setAutomine", [_text(form, "on") == "1"])],
        lambda _: ("", "Automatic mining is changed."),
    ),
    "do/impersonate": Action(
        lambda _node, form: [("hardhat_impersonateAccount", [_text(form, "address")])],
        lambda _: ("", "The account is impersonated: it can send without its key."),
    ),
    "do/stop-impersonating": Action(
        lambda _node, form: [("hardhat_stopImpersonatingAccount", [_text(form, "address")])],
        lambda _: ("", "The account is no longer impersonated."),
    ),
    "do/call": Action(
        transaction_call, lambda results: (f"/tx/{results[0]}", "The transaction is sent.")
    ),
    "do/drop": Action(
        lambda _node, form: [("hardhat_dropTransaction", [_text(form, "hash")])],
        lambda _: ("", "The transaction is dropped."),
    ),
}
