"""Rows of labelled values for views of a chain (`client.views`), and warnings of what was typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from devchain.cli import output
from devchain.cli.output import LINE_STYLES, Piece, Row, bar
from devchain.client import views
from devchain.client.chain_reader import ChainReader
from devchain.client.http import Client
from devchain.errors import RpcFailure
from devchain.text import LineKind, plural

WORD_DIGITS = 64
MAX_SHOWN_WORDS = 8
MAX_PRECOMPILED = 2**32
"""Contracts at lower addresses are the EVM's or Rootstock's own."""

STATUS_STYLES = {views.OK: output.GOOD, views.FAILED: output.BAD, views.PENDING: "yellow"}

TYPED_ADDRESS = re.compile(r"(?<![0-9a-zA-Z])0x[0-9a-fA-F]{40}(?![0-9a-zA-Z])")
"""An address in what was typed, alone or in the JSON of an array."""

WEI = re.compile(r"\b([1-9][0-9]{12,79}) wei\b")
"""An amount that is shown in coins too; smaller ones are not (see `text.amount`)."""


def reader_of(node: Client) -> ChainReader:
    """A reader of a node's chain; what a fork lacks is said once a command."""
    return ChainReader(node, partial(output.write_warning, "fork"))


# Rows


def fact_row(fact: views.Fact) -> Row:
    """A labelled value, with its share as a bar and its note faint."""
    if fact.share is not None:
        full, empty = bar(fact.share)
        return fact.label, [(full, "green"), (empty, output.FAINT), f" {fact.note} · {fact.value}"]
    return fact.label, [fact.value, (f" · {fact.note}" if fact.note else "", output.FAINT)]


def text_row(label: str, value: object) -> Row:
    """A value as the node returned it; nothing if it did not."""
    return label, None if value in (None, "") else [str(value)]


def account_row(label: str, account: views.AccountView | None) -> Row:
    return label, None if account is None else [(account.named, output.NAME)]


def status_piece(status: str, width: int = 0) -> Piece:
    return (f"{status:<{width}}", STATUS_STYLES.get(status, ""))


def transaction_rows(tx: views.TransactionView, now: int) -> Iterator[Row]:
    """A transaction with the main fields of its receipt."""
    yield text_row("Hash", tx.hash)
    if not tx.is_pending:
        yield from _block_rows(tx)
        if tx.timestamp is not None:
            yield fact_row(views.time_fact(tx.timestamp, now))
    yield from _account_rows(tx, "Creates")
    yield from map(fact_row, tx.facts)
    yield from input_rows(tx)


def receipt_rows(tx: views.TransactionView) -> Iterator[Row]:
    """The receipt of a transaction without its logs."""
    receipt = tx.receipt or {}
    yield text_row("Transaction", tx.hash)
    yield from _block_rows(tx)
    yield from _account_rows(tx, "Created")
    yield "Gas used", [f"{tx.gas_used or 0:,}"]
    up_to_here = views.number(receipt.get("cumulativeGasUsed")) or 0
    yield "Gas in block", [f"{up_to_here:,}", (" up to here", output.FAINT)]
    yield from (fact_row(fact) for fact in tx.facts if fact.label in ("Gas price", "Fee", "Type"))
    yield text_row("State root", receipt.get("root"))


def _block_rows(tx: views.TransactionView) -> Iterator[Row]:
    yield "Block", [f"{tx.block or 0:,}", (f" · transaction {tx.index or 0:,}", output.FAINT)]
    yield text_row("Block hash", tx.block_hash)


def _account_rows(tx: views.TransactionView, created: str) -> Iterator[Row]:
    yield account_row("From", tx.sender)
    yield account_row("To", tx.to)
    yield account_row(created, tx.created)


def listed_rows(tx: views.TransactionView) -> Iterator[Row]:
    """Below a transaction in a list: from whom to whom it is, and what it calls."""
    yield "    from", [(tx.sender.named, output.NAME)]
    if tx.to is not None:
        yield "    to", [(tx.to.named, output.NAME)]
    elif tx.created is not None:
        yield "    creates", [(tx.created.named, output.NAME)]
    else:
        yield "    to", [(views.NEW_CONTRACT, output.FAINT)]
    if tx.called:
        yield "    call", [tx.called]
    elif tx.selector:
        yield "    call", [f"{tx.selector} · {views.size(tx.input_size)}"]


def input_rows(tx: views.TransactionView) -> Iterator[Row]:
    """The input of a transaction: what it called, else selector and 32-byte words.

    For a creation, the size of its init code is shown.
    """
    count = views.size(tx.input_size)
    if tx.called:
        yield "Input", [tx.called]
    if not tx.input_size:
        return
    if tx.to is None:
        yield "Init code", [count]
    elif tx.called:
        yield "", [(f"{tx.selector} · {count}", output.FAINT)]
    elif (len(tx.input) - views.SELECTOR_LENGTH) % WORD_DIGITS:
        yield "Input", [count]
        yield from word_rows("", tx.input[2:])
    else:
        yield "Input", [tx.selector, (f" · {count}", output.FAINT)]
        yield from word_rows("", tx.input[views.SELECTOR_LENGTH :])


def log_rows(log: views.LogView) -> Iterator[Row]:
    """The address of a log and its event, else its topics and data."""
    yield account_row("Address", log.contract)
    if log.event:
        yield "Event", [log.event]
        return
    for index, topic in enumerate(log.topics):
        yield text_row(f"Topic {index}", topic)
    yield from word_rows("Data", log.data[2:])


def word_rows(label: str, digits: str) -> Iterator[Row]:
    """Bytes in lines of 32, the first `MAX_SHOWN_WORDS` of them."""
    words = [digits[start : start + WORD_DIGITS] for start in range(0, len(digits), WORD_DIGITS)]
    for index, word in enumerate(words[:MAX_SHOWN_WORDS]):
        yield ("" if index else label), [f"0x{word}"]
    if len(words) > MAX_SHOWN_WORDS:
        hidden = len(words) - MAX_SHOWN_WORDS
        yield "", [(f"… {plural(hidden, 'more word')}; --json shows them", output.FAINT)]


def transaction_pieces(tx: views.TransactionView) -> Iterator[Piece]:
    """Who called or sent what, with its gas, on one line."""
    yield tx.sender.address, output.NAME
    yield " → "
    if tx.called:
        yield tx.called
    elif tx.to is None:
        yield views.NEW_CONTRACT
    else:
        yield tx.to.address, output.NAME
        yield f" ({tx.to.name})" if tx.to.name else ""
        yield f" {tx.selector}" if tx.selector else ""
    if tx.created is not None:
        yield f" at {tx.created.address}"
    if tx.value:
        yield f" · {tx.value_text}"
    if tx.gas_used is not None:
        yield f" · gas {tx.gas_used:,}", output.FAINT


def failure_pieces(tx: views.TransactionView) -> Iterator[Piece]:
    """Why it failed, and where in the source."""
    if tx.reason:
        yield tx.reason, output.BAD
    if tx.place:
        yield f" · {tx.place}", output.FAINT


# Parts of a screen


def show_receipt(
    tx: views.TransactionView, logs: Iterable[views.LogView], call: views.CallView
) -> None:
    """Write the receipt of a transaction with its logs, and why it failed if that is known."""
    output.write_line(("Receipt", output.TITLE), " ", status_piece(tx.status))
    show_reason(call)
    output.write_fields(receipt_rows(tx))
    show_logs(logs)


def show_logs(logs: Iterable[views.LogView]) -> None:
    """Write logs one below the other."""
    for log in logs:
        output.write_blank_line()
        output.write_title(f"Log {log.index:,}")
        output.write_fields(log_rows(log))


def show_calls(call: views.CallView) -> None:
    """Write the call tree of a mined transaction; without it what it printed, which is in it."""
    if len(call.tree) > 1 or call.called:
        output.write_blank_line()
        output.write_line(("Calls", output.TITLE))
        output.write_tree(call.tree)
        return
    for line, place in call.console:
        output.write_field("Console", line, (f"  {place}" if place else "", output.FAINT))


def show_reason(call: views.CallView) -> None:
    """Write why a transaction failed, a hint and the place in the source."""
    if call.reason:
        output.write_field("Reason", (call.reason, output.BAD))
    if call.hint:
        output.write_field("Hint", (call.hint, LINE_STYLES[LineKind.HINT]))
    if call.place:
        output.write_field("At", call.place)


# Warnings and advice


def warn_of_checksums(node: Client, *texts: str | None) -> None:
    """Warn of addresses in what was typed whose letter case is not that of their checksum."""
    typed = [address for text in texts if text for address in TYPED_ADDRESS.findall(text)]
    # The chain id, which EIP-1191 needs, is asked for only if EIP-55 does not say that all is well.
    if all(views.Notation(0).has_checksum(address) for address in typed):
        return
    notation = reader_of(node).notation()
    for address in typed:
        if not notation.has_checksum(address):
            output.write_note(
                f"warning: the letter case of {address} is not that of its checksum: "
                "compare its digits"
            )


def warn_of_missing_code(node: Client, address: str) -> None:
    """Warn of a call of what is no contract; precompiled ones have no code either."""
    if int(address, 16) <= MAX_PRECOMPILED:
        return
    with suppress(RpcFailure):
        if node.call("eth_getCode", address, "latest") == "0x":
            output.write_note(f"warning: {address} has no code: calling it does nothing")


def hardfork_of(node: Client) -> str | None:
    """The rules of a node by name; None if it does not say them."""
    with suppress(RpcFailure, LookupError, TypeError):
        return str(node.call("anvil_nodeInfo")["hardFork"])
    return None


def warn_of_missing_opcodes(node: Client, *codes: bytes) -> None:
    """Warn of opcodes in creation or runtime code that the node's hardfork lacks."""
    from devchain.evm.missing_opcodes import advice, missing_opcodes
    from devchain.networks import HARDFORKS, canonical

    hardfork = canonical(hardfork_of(node) or "")
    if hardfork in HARDFORKS:
        found = [opcode for code in codes for opcode in missing_opcodes(code, hardfork)]
        if found:
            output.write_note(f"warning: {advice(dict.fromkeys(found), hardfork)}")


def with_hint(reason: str) -> str:
    """A reason, with what to do for the name of a custom error that is shown by its selector."""
    if not views.UNNAMED_ERROR.fullmatch(reason):
        return reason
    return (
        f"{reason}; for its name, run this in the folder of the contract's project, or give the "
        "node its artifact: `devchain start --artifacts PROJECT`"
    )


@contextmanager
def amounts_in_coins(node: Client) -> Iterator[None]:
    """Amounts of wei in the node's refusals also in coins: `balance 1 RBTC (1,000.. wei)`."""
    try:
        yield
    except RpcFailure as failure:
        if not WEI.search(failure.message):
            raise
        amount = reader_of(node).notation().amount
        text = WEI.sub(
            lambda match: f"{amount(int(match[1]))} ({int(match[1]):,} wei)", failure.message
        )
        raise RpcFailure(failure.code, text, failure.data) from None
