"""The page of one transaction: what it called, its events, its cost, and why it failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from devchain.chain.block import MinedLog, Receipt
from devchain.client.views import TransactionView
from devchain.server.explorer.page import Page, RawCall
from devchain.server.explorer.reader import Reader
from devchain.source.source_trace import SourceTrace

MAX_EVENTS = 100
MAX_WORDS = 32
"""Words of the input that are shown; the JSON has all."""

WORD_DIGITS = 64


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a transaction or call failed: the reason, a hint, and the place if it is known."""

    reason: str
    hint: str = ""
    places: Sequence[tuple[str, str]] = ()
    """Function and place of what was running, the innermost first."""
    excerpt: Sequence[str] = ()


def transaction(reader: Reader, tx_hash: str) -> Page:
    """A transaction of the chain or the mempool."""
    tx, mined = reader.find_transaction(tx_hash)
    view = reader.mined(*mined) if mined else reader.pending(tx)
    values: dict[str, object] = {"tx": view, "words": input_words(view), "failure": None}
    values |= {"events": [], "more_events": 0, "printed": []}
    raw = ["eth_getTransactionByHash"]
    if mined:
        block, receipt = mined
        values |= {
            "events": [
                reader.log(MinedLog(log, block, receipt, receipt.first_log_index + position))
                for position, log in enumerate(receipt.logs[:MAX_EVENTS])
            ],
            "more_events": max(len(receipt.logs) - MAX_EVENTS, 0),
            "failure": failure(reader, view, receipt) if view.failed else None,
            "printed": _printed(receipt),
        }
        raw += ["eth_getTransactionReceipt", "devchain_explainTransaction"]
    calls: list[RawCall] = [(name, [view.hash]) for name in raw]
    return page_of("transaction.html", "Transaction", view, values, calls)


def page_of(
    template: str,
    title: str,
    tx: TransactionView,
    values: dict[str, object],
    raw: Sequence[RawCall],
) -> Page:
    """A page of a transaction, which says so when its block is taken back."""
    return Page(
        template,
        f"{title} {tx.short}",
        {"tx": tx, "live_hash": tx.block_hash, **values},
        raw=raw,
        section="transactions",
    )


def input_words(tx: TransactionView) -> tuple[Sequence[str], int]:
    """The input in words of 32 bytes behind the selector, and how many are not shown."""
    is_call = tx.selector and not (len(tx.input) - len(tx.selector)) % WORD_DIGITS
    digits = tx.input[len(tx.selector) if is_call else 2 :]
    starts = range(0, len(digits), WORD_DIGITS)
    words = [f"0x{digits[start : start + WORD_DIGITS]}" for start in starts[:MAX_WORDS]]
    return words, max(len(starts) - MAX_WORDS, 0)


def _printed(receipt: Receipt) -> list[str]:
    from devchain.contracts.console import console_message

    return [text for line in receipt.printed if (text := console_message(line)) is not None]


def failure(reader: Reader, tx: TransactionView, receipt: Receipt) -> Failure:
    """Why a transaction failed, with its place in the source if artifacts have it."""
    node = reader.node
    is_replayed = not node.config.hosted  # which explains nothing either
    trace = node.explainer.transaction_source(receipt.transaction.hash) if is_replayed else None
    return located(tx.reason or "", trace)


def located(reason: str, trace: SourceTrace | None) -> Failure:
    """A failure with its hint and place in the source, if these are known."""
    if trace is None:
        return Failure(reason)
    known = [frame for frame in reversed(trace.frames) if frame.line]
    places = [(frame.title, frame.place_and_note) for frame in known]
    return Failure(reason, trace.hint, places, trace.excerpt)
