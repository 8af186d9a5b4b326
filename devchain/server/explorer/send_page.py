"""The page that simulates and sends a transaction: one that is typed, or a mined one once more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from devchain.contracts.typed_arguments import account_text
from devchain.errors import DevchainError, ForkCacheMiss, InsufficientFunds, InvalidInput
from devchain.node import Node
from devchain.server.explorer.page import Page, RawCall
from devchain.server.explorer.reader import Reader, bytes_of, hex_of
from devchain.server.explorer.transaction_pages import CallTree
from devchain.source.source_trace import SourceTrace
from devchain.text import UNITS, parse_amount, parse_integer
from devchain.types import (
    ZERO_ADDRESS,
    Address,
    BeforeTransaction,
    StateRef,
    Tag,
    TransactionRequest,
)

Form = Mapping[str, str]

FIELDS = ("from", "to", "value", "gas", "data")
MAX_DATA = 2_000_000  # characters of call data: a form has no more
HEX = re.compile("(0x)?[0-9a-fA-F]*")
MAX_SENDERS = 50


def send(reader: Reader) -> Page:
    """A form for a transaction, and with `simulate` what it would do.

    With `tx` it begins as a mined one, and runs in the state before that.
    """
    node, query = reader.node, reader.query
    filled = {name: query.text(name, MAX_DATA) for name in FIELDS}
    block: StateRef = Tag.LATEST
    if original := query.text("tx"):
        tx, mined = reader.find_transaction(original)
        texts = (hex_of(tx.sender), hex_of(tx.to) if tx.to else "", f"{tx.value} wei", f"{tx.gas}")
        known = zip(FIELDS, (*texts, hex_of(tx.data)), strict=True)
        filled = dict(known) | {name: text for name, text in filled.items() if text}
        block = BeforeTransaction(mined[0].number, mined[1].index) if mined else block
    values: dict[str, object] = {
        "filled": filled | {"data": _whole(filled["data"])},
        "original": original,
        "senders": senders(reader),
        "outcome": None,
        "failure": None,
        "called": "",
        "problem": "",
    }
    raw: list[RawCall] = []
    if query.text("simulate") or original:
        try:
            request = _request(node, filled)
            values["called"] = reader.names.known_call(request.to, request.data)
            # Rootstock's calls do not look at the balance.
            owned = node.chain.state_at(block).balance(request.sender or ZERO_ADDRESS)
            if owned < (request.value or 0):
                owned_text = reader.notation.amount(owned)
                raise InsufficientFunds(f"the sender has {owned_text}, less than the value")
            context, limited = node.call_context(request, block)
            top = node.explainer.call_frames(limited, context)
            values["outcome"] = CallTree(reader, top)
            values["transfers"] = list(reader.frame_transfers(top))
            if top.failure:
                trace = node.explainer.source_trace(top)
                values["failure"] = replace(trace, reason=trace.reason or top.failure.geth)
        except ForkCacheMiss:
            raise  # of a fork: they are fetched, and the page is made again
        except InvalidInput as error:
            values["problem"] = str(error)
        except DevchainError as error:
            values["failure"] = SourceTrace(str(error))
        else:
            if not original:
                raw = [("eth_call", [_wire(request), "latest"])]
    return Page("send.html", "Send a transaction", values, raw, section="control")


def _whole(data: str) -> str:
    # Hex is sent from the page: it is neither shortened nor escaped there.
    return Markup(data) if HEX.fullmatch(data) else data  # noqa: S704  # hex


def senders(reader: Reader) -> list[Any]:
    """The accounts that transactions can be sent from without a key."""
    node = reader.node
    own = [sender for sender in node.accounts.addresses() if node.accounts.is_unlocked(sender)]
    known = list(dict.fromkeys([*own, *node.accounts.impersonated()]))
    return [reader.account(sender) for sender in known[:MAX_SENDERS]]


def _amount(form: Form, name: str) -> int:
    text = form.get(name, "").strip().lower()
    with suppress(ValueError):
        wei = parse_amount(text or "0")
        if not wei or text.endswith(tuple(UNITS)):
            return wei
    raise InvalidInput(f"{name} must be an amount with its unit: 7 rbtc, 10 gwei or 7 wei")


def _request(node: Node, form: Form) -> TransactionRequest:
    to, data = form.get("to", "").strip(), form.get("data", "").strip().removeprefix("0x")
    try:
        gas = parse_integer(form.get("gas", "") or "0")
        call_data = bytes.fromhex(data)
    except ValueError:
        raise InvalidInput("gas must be a whole number, and data hex") from None
    return TransactionRequest(
        _address(node, "from", form.get("from", "")),
        _address(node, "to", to) if to else None,
        gas=gas or node.chain.max_transaction_gas(),
        value=_amount(form, "value"),
        data=call_data,
    )


def _address(node: Node, name: str, text: str) -> Address:
    address = bytes_of(account_text(text.strip(), node.accounts.addresses()))
    if len(address) != len(ZERO_ADDRESS):
        raise InvalidInput(f"{name}: an address is 0x and 40 hex digits, or account 3")
    return Address(address)


def _wire(request: TransactionRequest) -> dict[str, str]:
    wire = {"from": hex_of(request.sender or b""), "gas": hex(request.gas or 0)}
    wire |= {"to": hex_of(request.to)} if request.to else {}
    wire |= {"value": hex(request.value)} if request.value else {}
    return wire | {"data": hex_of(request.data)}


def transaction_call(node: Node, form: Form) -> list[RawCall]:
    return [("eth_sendTransaction", [_wire(_request(node, form))])]


def set_balance(node: Node, form: Form) -> list[RawCall]:
    address = _address(node, "address", form.get("address", ""))
    return [("hardhat_setBalance", [hex_of(address), hex(_amount(form, "balance"))])]


def simulation(form: Form) -> dict[str, str]:
    """The query of the page that simulates what a form would send."""
    return {**{name: form.get(name, "") for name in (*FIELDS, "tx")}, "simulate": "1"}
