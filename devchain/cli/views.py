"""How blocks, transactions, receipts and logs look on a terminal; several commands share them.

A node may leave fields out: what is not there is not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from devchain.cli import output
from devchain.cli.format import Notation, age, bar, gas_price, moment, number, percent, plural, size
from devchain.cli.output import Piece
from devchain.cli.revert_reasons import reason
from devchain.client.http import Client
from devchain.clock import Clock
from devchain.errors import BlockNotFound, DevchainError, RpcFailure, TransactionNotFound

Json = dict[str, Any]
Row = tuple[str, Sequence[Piece] | None]

WORD_DIGITS = 64
SELECTOR_DIGITS = 8
SHOWN_WORDS = 8
FAILED = "failed"
STATUS_STYLES = {"ok": output.GOOD, FAILED: output.BAD, "pending": "yellow"}


def notation(node: Client) -> Notation:
    """How the node's chain writes addresses and amounts."""
    try:
        return Notation(number(node.call("eth_chainId")) or 0)
    except RpcFailure:
        return Notation(0)


def find_block(node: Client, reference: str | Json, *, full: bool = False) -> Json:
    """The block of that number, tag or hash; raises `BlockNotFound`."""
    if isinstance(reference, dict):
        name = reference["blockHash"]
        found = node.call("eth_getBlockByHash", name, full)
    else:
        name = str(number(reference) if number(reference) is not None else reference)
        found = node.call("eth_getBlockByNumber", reference, full)
    if found is None:
        msg = f"no block {name} on this node"
        raise BlockNotFound(msg)
    return dict(found)


def find_transaction(node: Client, tx_hash: str) -> tuple[Json, Json | None]:
    """A transaction and its receipt, None while it is pending; raises `TransactionNotFound`."""
    tx = node.call("eth_getTransactionByHash", tx_hash)
    if tx is None:
        msg = f"no transaction {tx_hash} on this node"
        raise TransactionNotFound(msg)
    return tx, node.call("eth_getTransactionReceipt", tx_hash)


def timestamp_of(node: Client, receipt: Json | None) -> object:
    """The timestamp of the block a receipt names, None if there is none."""
    if receipt is None:
        return None
    with suppress(DevchainError):
        return find_block(node, receipt["blockNumber"]).get("timestamp")
    return None


def status(receipt: Json | None) -> str:
    """`ok`, `failed`, `pending`, or `mined` by a node that does not say how it went."""
    if receipt is None:
        return "pending"
    return {1: "ok", 0: FAILED}.get(_int(receipt, "status", -1), "mined")


def status_piece(word: str, width: int = 0) -> Piece:
    """The status in its color."""
    return (f"{word:<{width}}", STATUS_STYLES.get(word, ""))


def failure_reason(node: Client, tx: Json, receipt: Json | None) -> str | None:
    """Why a mined transaction failed, None if it did not: it is called again on the parent."""
    if receipt is None or status(receipt) != FAILED:
        return None
    parent = hex(max(_int(receipt, "blockNumber") - 1, 0))
    request = {key: tx[key] for key in ("from", "to", "gas", "value") if tx.get(key)}
    try:
        node.call("eth_call", {**request, "data": tx.get("input", "0x")}, parent)
    except RpcFailure as failure:
        return reason(failure)
    if _int(receipt, "gasUsed") == _int(tx, "gas"):
        return "out of gas"
    return "not known: the same call on the parent block succeeds"


def time_row(timestamp: object) -> Row:
    """A timestamp as a date, how long ago, and raw."""
    seconds = number(timestamp)
    if seconds is None:
        return "Time", None
    ago = age(seconds, Clock().now())
    return "Time", [moment(seconds), (f" · {ago} · {seconds}", output.FAINT)]


def amount_row(label: str, value: object, notation: Notation) -> Row:
    """An amount in whole coins and in wei."""
    wei = number(value)
    if wei is None:
        return label, None
    return label, [notation.amount(wei), (f" · {wei} wei", output.FAINT)]


def price_row(label: str, value: object) -> Row:
    """A gas price in gwei and in wei."""
    wei = number(value)
    if wei is None:
        return label, None
    return label, [gas_price(wei), (f" · {wei} wei", output.FAINT)]


def gas_row(used: object, limit: object) -> Row:
    """Gas used of a limit, with a bar."""
    part, whole = number(used), number(limit)
    if part is None or whole is None:
        return "Gas", None
    full, empty = bar(part, whole)
    shares = f" {percent(part, whole)} · {part:,} of {whole:,}"
    return "Gas", [(full, "green"), (empty, output.FAINT), shares]


def text_row(label: str, value: object) -> Row:
    """A value as the node wrote it."""
    return label, None if value is None else [str(value)]


def address_row(label: str, value: object, notation: Notation) -> Row:
    """An address with its checksum."""
    return label, None if value is None else [(notation.address(value), output.NAME)]


def transaction_rows(
    tx: Json, receipt: Json | None, notation: Notation, timestamp: object = None
) -> Iterator[Row]:
    """A transaction and what became of it, in full; `timestamp` is its block's."""
    yield text_row("Hash", tx.get("hash"))
    if receipt is not None:
        yield "Block", [f"{_int(receipt, 'blockNumber'):,}", _place(receipt)]
        yield text_row("Block hash", receipt.get("blockHash"))
        yield time_row(timestamp)
    yield address_row("From", tx.get("from"), notation)
    yield address_row("To", tx.get("to"), notation)
    yield _created_row("Creates", receipt, notation)
    yield amount_row("Value", tx.get("value"), notation)
    yield from _cost_rows(tx, receipt, notation)
    yield "Nonce", [f"{_int(tx, 'nonce'):,}"]
    yield text_row("Type", number(tx.get("type")))
    yield from input_rows(tx)


def receipt_rows(receipt: Json, notation: Notation) -> Iterator[Row]:
    """A receipt in full, without its logs."""
    yield text_row("Transaction", receipt.get("transactionHash"))
    yield "Block", [f"{_int(receipt, 'blockNumber'):,}", _place(receipt)]
    yield text_row("Block hash", receipt.get("blockHash"))
    yield address_row("From", receipt.get("from"), notation)
    yield address_row("To", receipt.get("to"), notation)
    yield _created_row("Created", receipt, notation)
    yield "Gas used", [f"{_int(receipt, 'gasUsed'):,}"]
    yield "Gas in block", [f"{_int(receipt, 'cumulativeGasUsed'):,}", (" up to here", output.FAINT)]
    yield price_row("Gas price", receipt.get("effectiveGasPrice"))
    yield _fee_row(receipt, receipt.get("effectiveGasPrice"), notation)
    yield text_row("Type", number(receipt.get("type")))
    yield text_row("State root", receipt.get("root"))


def input_rows(tx: Json) -> Iterator[Row]:
    """The data sent: the selector and the words after it, or the size of init code."""
    digits = str(tx.get("input") or tx.get("data") or "0x")[2:]
    count = size(len(digits) // 2)
    if not digits:
        return
    if tx.get("to") is None:
        yield "Init code", [count]
        return
    if len(digits) % WORD_DIGITS != SELECTOR_DIGITS:
        yield "Input", [count]
        yield from word_rows("", digits)
        return
    yield "Input", [f"0x{digits[:SELECTOR_DIGITS]}", (f" · {count}", output.FAINT)]
    yield from word_rows("", digits[SELECTOR_DIGITS:])


def log_rows(log: Json, notation: Notation) -> Iterator[Row]:
    """What a contract logged."""
    yield address_row("Address", log.get("address"), notation)
    for place, topic in enumerate(log.get("topics") or ()):
        yield text_row(f"Topic {place}", topic)
    yield from word_rows("Data", str(log.get("data") or "0x")[2:])


def word_rows(label: str, digits: str) -> Iterator[Row]:
    """Bytes as lines of 32, each in full; of very many only the first are shown."""
    words = [digits[start : start + WORD_DIGITS] for start in range(0, len(digits), WORD_DIGITS)]
    for place, word in enumerate(words[:SHOWN_WORDS]):
        yield ("" if place else label), [f"0x{word}"]
    if len(words) > SHOWN_WORDS:
        left = len(words) - SHOWN_WORDS
        yield "", [(f"… {plural(left, 'more word')}; --json shows them", output.FAINT)]


def show_logs(logs: Sequence[Json], notation: Notation) -> None:
    """The logs of a receipt, below each other."""
    for log in logs:
        output.blank()
        output.title(f"Log {_int(log, 'logIndex')}")
        output.fields(log_rows(log, notation))


def show_calls(node: Client, tx_hash: str) -> None:
    """The calls of a mined transaction and what it printed, if the node can explain it."""
    try:
        explained = node.call("devchain_explainTransaction", tx_hash)
    except RpcFailure:
        return  # another kind of node
    lines, printed = (explained or {}).get("callTree", []), (explained or {}).get("console", [])
    if len(lines) > 1 or (explained or {}).get("called"):
        output.blank()
        output.write(("Calls", output.TITLE))
        for line in lines:
            output.write(f"  {line}")
    for line in printed:
        output.field("Console", str(line))


def show_receipt(receipt: Json, notation: Notation, why: str | None) -> None:
    """A receipt with its logs, and why the transaction failed if it did."""
    word = status(receipt)
    output.write(("Receipt", output.TITLE), " ", status_piece(word))
    if why is not None:
        output.field("Reason", (why, output.BAD))
    output.fields(receipt_rows(receipt, notation))
    show_logs(receipt.get("logs") or [], notation)


def _cost_rows(tx: Json, receipt: Json | None, notation: Notation) -> Iterator[Row]:
    if receipt is None:
        yield "Gas limit", [f"{_int(tx, 'gas'):,}"]
    else:
        yield gas_row(receipt.get("gasUsed"), tx.get("gas"))
    price = (receipt or {}).get("effectiveGasPrice") or tx.get("gasPrice")
    yield price_row("Gas price", price)
    if receipt is not None:
        yield _fee_row(receipt, price, notation)


def _created_row(label: str, receipt: Json | None, notation: Notation) -> Row:
    """The contract made; nodes give an address for one that failed too."""
    if receipt is None or status(receipt) == FAILED:
        return label, None
    return address_row(label, receipt.get("contractAddress"), notation)


def _fee_row(receipt: Json, price: object, notation: Notation) -> Row:
    wei = number(price)
    if wei is None:
        return "Fee", None
    return amount_row("Fee", _int(receipt, "gasUsed") * wei, notation)


def _place(receipt: Json) -> Piece:
    return (f" · transaction {_int(receipt, 'transactionIndex')}", output.FAINT)


def _int(item: Json, key: str, default: int = 0) -> int:
    found = number(item.get(key))
    return default if found is None else found
