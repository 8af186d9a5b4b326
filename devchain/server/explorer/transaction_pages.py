"""Pages of one transaction: what it did, its calls, what it changed, where its gas went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from devchain.chain.block import Block, Log, Receipt
from devchain.chain.transaction import Transaction
from devchain.contracts.abi import SELECTOR
from devchain.contracts.source_trace import SourceTrace
from devchain.errors import TransactionNotFound
from devchain.node import Node
from devchain.server.explorer.page import Page, Query, RawCall
from devchain.server.explorer.values import (
    EventRow,
    Fact,
    Reader,
    TransactionRow,
    hex_of,
    long_text,
)
from devchain.text import gas_price, percent, plural, printable
from devchain.types import WORD_SIZE, Hash32

MAX_EVENTS = 100
MAX_WORDS = 32
"""Words of the input that are shown; the JSON has all."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a transaction or call failed: the reason, a hint, and the place if it is known."""

    reason: str
    hint: str = ""
    places: Sequence[tuple[str, str]] = ()
    """Function and place of what was running, the innermost first."""
    excerpt: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class InputData:
    """The input of a transaction: its call as text, and its bytes in words."""

    size: str
    selector: str
    words: Sequence[str]
    hidden: int


def transaction(node: Node, query: Query, tx_hash: str) -> Page:  # noqa: ARG001  # as every page
    """A transaction: what it called, its events, its cost, and why it failed."""
    reader = Reader(node)
    tx, mined = find(node, tx_hash)
    row = reader.transaction(tx, *(mined or ()))
    values: dict[str, object] = {
        "tx": row,
        "called": long_text(
            reader.names.known_call(tx.to, tx.data, mined[1].contract_address if mined else None)
        ),
        "input": input_data(tx),
        "facts": _facts(tx, mined),
        "events": [],
        "more_events": 0,
        "printed": [],
        "failure": None,
    }
    if mined:
        block, receipt = mined
        values |= {
            "events": events(reader, receipt.logs[:MAX_EVENTS], receipt.first_log_index),
            "more_events": max(len(receipt.logs) - MAX_EVENTS, 0),
            "failure": failure(reader, row, receipt),
            "printed": [long_text(each) for each in _printed(receipt)],
            "live_hash": hex_of(block.hash),
        }
    return Page(
        "transaction.html",
        f"Transaction {row.short}",
        values,
        raw=raw_of(row),
        section="transactions",
    )


def find(node: Node, tx_hash: str) -> tuple[Transaction, tuple[Block, Receipt] | None]:
    """A transaction of the chain or the mempool; raises `TransactionNotFound`."""
    wanted = tx_hash.removeprefix("0x")
    try:
        key = Hash32(bytes.fromhex(wanted))
    except ValueError:
        key = Hash32(b"")
    if len(key) != WORD_SIZE:
        raise TransactionNotFound("the hash of a transaction is 0x and 64 hex digits")
    mined = node.chain.receipt(key)
    if mined:
        return mined[1].transaction, mined
    waiting = node.mempool.find(key)
    if waiting is None:
        raise TransactionNotFound(
            f"there is no transaction 0x{wanted}: it was never sent, or a revert has taken it back"
        )
    return waiting, None


def raw_when_mined(method: str, *options: object) -> Callable[..., list[RawCall]]:
    """What makes the JSON form of a view of a mined transaction: a call with its hash."""

    def raw(node: Node, query: Query, tx_hash: str) -> list[RawCall]:  # noqa: ARG001  # as views
        tx, mined = find(node, tx_hash)
        if mined is None:
            raise TransactionNotFound("there is nothing of this transaction before it is mined")
        return [(method, [hex_of(tx.hash), *options])]

    return raw


def raw_of(row: TransactionRow) -> list[tuple[str, list[object]]]:
    """The JSON-RPC calls that have what the page of a transaction shows."""
    if row.block is None:
        return [("eth_getTransactionByHash", [row.hash])]
    names = (
        "eth_getTransactionByHash",
        "eth_getTransactionReceipt",
        "devchain_explainTransaction",
    )
    return [(name, [row.hash]) for name in names]


def events(reader: Reader, logs: Sequence[Log], first: int) -> list[EventRow]:
    """Logs of a receipt in words."""
    return [reader.event(each, first + position) for position, each in enumerate(logs)]


def _printed(receipt: Receipt) -> list[str]:
    from devchain.contracts.console import console_message

    return [text for each in receipt.printed if (text := console_message(each)) is not None]


def failure(reader: Reader, row: TransactionRow, receipt: Receipt) -> Failure | None:
    """Why a transaction failed, with its place in the source if artifacts have it."""
    if receipt.succeeded:
        return None
    explainer = reader.node.explainer
    reason = long_text(explainer.failure_text(receipt) or row.reason)
    is_replayed = not reader.node.config.hosted  # which explains nothing either
    trace = explainer.transaction_source(receipt.transaction.hash) if is_replayed else None
    return located(reason, trace)


def located(reason: str, trace: SourceTrace | None) -> Failure:
    """A failure with its hint and place in the source, if these are known."""
    if trace is None:
        return Failure(reason)
    known = [each for each in reversed(trace.frames) if each.line]
    return Failure(
        reason,
        printable(trace.hint),
        [(long_text(each.title), long_text(each.place_and_note)) for each in known],
        trace.excerpt,
    )


def input_data(tx: Transaction) -> InputData | None:
    """The input of a transaction in words of 32 bytes; None if it has none."""
    if not tx.data:
        return None
    is_call = tx.to is not None and len(tx.data) % WORD_SIZE == SELECTOR
    body = tx.data[SELECTOR:] if is_call else tx.data
    shown = body[: MAX_WORDS * WORD_SIZE]
    words = [hex_of(shown[at : at + WORD_SIZE]) for at in range(0, len(shown), WORD_SIZE)]
    return InputData(
        plural(len(tx.data), "byte"),
        hex_of(tx.data[:SELECTOR]) if is_call else "",
        words,
        -(-(len(body) - len(shown)) // WORD_SIZE),
    )


def _facts(tx: Transaction, mined: tuple[Block, Receipt] | None) -> list[Fact]:
    facts = []
    if mined:
        _, receipt = mined
        facts.append(
            Fact(
                "Gas used",
                f"{receipt.gas_used:,} of {tx.gas:,} ({percent(receipt.gas_used, tx.gas)})",
            )
        )
        facts.append(Fact("Gas price", gas_price(receipt.gas_price)))
    else:
        facts += [Fact("Gas limit", f"{tx.gas:,}"), Fact("Gas price", gas_price(tx.gas_price))]
    facts += [Fact("Nonce", f"{tx.nonce:,}"), Fact("Type", str(tx.type))]
    return facts
