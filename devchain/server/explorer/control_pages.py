"""The page of buttons for mining, time and snapshots, and what the explorer's forms do.

Each form becomes JSON-RPC requests, as any other client would send them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import orjson

from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.server.explorer.contract_pages import with_call_data
from devchain.server.explorer.page import Page, RawCall
from devchain.server.explorer.reader import Reader
from devchain.server.explorer.send_page import Form, set_balance, transaction_call
from devchain.text import moment

MAX_SNAPSHOTS = 50
SENDING = {"do/call", "do/send"}  # forms whose transaction is shown then
SIMULATING = {"do/simulate": False, "do/simulate-call": True}  # whether the call is a function's
Action = Callable[[Node, Form], Sequence[RawCall]]


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
            "impersonated": [*map(reader.account, node.accounts.impersonated()[:50])],
            "pending": len(node.mempool),
        },
        raw=[
            ("eth_getBlockByNumber", ["latest", False]),
            *((name, []) for name in ("devchain_getTime", "hardhat_getAutomine", "txpool_status")),
        ],
    )


def _whole(form: Form, name: str, default: int | None = None) -> int:
    text = form.get(name, "").strip().replace(",", "").replace("_", "")
    if not text and default is not None:
        return default
    if not (text.isascii() and text.isdigit()) or len(text) > 30:
        raise InvalidInput(f"{name} must be a whole number, such as 10")
    return int(text)


def _artifact(_node: Node, form: Form) -> Sequence[RawCall]:
    # An ABI, an artifact or the output of a compiler for the contract at an address.
    try:
        written = orjson.loads(form.get("json", ""))
    except ValueError:
        raise InvalidInput("this is no JSON: paste an ABI, or the output of a compiler") from None
    if isinstance(written, list):
        written = {"contractName": form.get("name", "").strip() or "Contract", "abi": written}
    at = [form.get("address", "")] if isinstance(written, dict) and "abi" in written else []
    return [("devchain_addArtifacts", [written, *at])]


def _of_account(method: str) -> Action:
    return lambda _node, form: [(method, [form.get("address", "").strip()])]


ACTIONS: Mapping[str, Action] = {
    "do/mine": lambda _node, form: [
        ("hardhat_mine", [hex(_whole(form, name, 1)) for name in ("blocks", "interval")])
    ],
    "do/snapshot": lambda _node, _form: [("evm_snapshot", [])],
    "do/revert": lambda _node, form: [("evm_revert", [hex(_whole(form, "snapshot"))])],
    "do/reset": lambda _node, _form: [("hardhat_reset", [])],
    "do/time": lambda _node, form: [
        ("evm_increaseTime", [_whole(form, "seconds")]),
        ("evm_mine", []),
    ],
    "do/automine": lambda _node, form: [("evm_setAutomine", [form.get("on") == "1"])],
    "do/impersonate": _of_account("hardhat_impersonateAccount"),
    "do/stop-impersonating": _of_account("hardhat_stopImpersonatingAccount"),
    "do/call": lambda node, form: transaction_call(node, with_call_data(node, form)),
    "do/send": transaction_call,
    "do/balance": set_balance,
    "do/artifact": _artifact,
    "do/drop": lambda _node, form: [("hardhat_dropTransaction", [form.get("hash", "")])],
}
"""The calls of a form's fields, by its path."""
