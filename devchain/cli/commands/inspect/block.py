"""`devchain inspect block`: one block and what happened in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from devchain.cli import output
from devchain.cli.format import Notation, number, plural, size
from devchain.cli.options import DEFAULT_URL, AsJson, Block, Url, block_reference, connect
from devchain.cli.views import (
    FAILED,
    Json,
    Row,
    address_row,
    amount_row,
    failure_reason,
    find_block,
    gas_row,
    notation,
    price_row,
    status,
    status_piece,
    text_row,
    time_row,
)
from devchain.client.http import Client
from devchain.errors import RpcFailure

SELECTOR_CHARACTERS = 10


def block(block: Block = "latest", url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show a block: its header, and each transaction with its status, gas and revert reason.

    Examples:
      devchain inspect block latest
      devchain inspect block 12 --json
    """
    node = connect(url)
    found = find_block(node, block_reference(block), full=True)
    if as_json:
        output.show_json(found)
        return
    written = notation(node)
    transactions = [each for each in found.get("transactions") or [] if isinstance(each, dict)]
    output.title(_name(found), plural(len(transactions), "transaction"))
    output.fields(_header(found, written))
    output.blank()
    output.fields(_roots(found))
    for tx, receipt in zip(transactions, _receipts(node, found, transactions), strict=True):
        output.blank()
        _show_transaction(tx, receipt, written, failure_reason(node, tx, receipt))


def _name(found: Json) -> str:
    height = number(found.get("number"))
    return "Pending block" if found.get("hash") is None else f"Block {height}"


def _header(found: Json, notation: Notation) -> Iterator[Row]:
    yield text_row("Hash", found.get("hash"))
    yield text_row("Parent", found.get("parentHash"))
    yield time_row(found.get("timestamp"))
    yield address_row("Miner", found.get("miner"), notation)
    yield gas_row(found.get("gasUsed"), found.get("gasLimit"))
    yield price_row("Minimum price", found.get("minimumGasPrice"))
    yield price_row("Base fee", found.get("baseFeePerGas"))
    yield amount_row("Fees paid", found.get("paidFees"), notation)
    yield _difficulty(found)
    yield _size(found.get("size"))
    yield _uncles(found.get("uncles"))
    yield _extra(found.get("extraData"))


def _roots(found: Json) -> Iterator[Row]:
    yield text_row("State root", found.get("stateRoot"))
    yield text_row("Tx root", found.get("transactionsRoot"))
    yield text_row("Receipts root", found.get("receiptsRoot"))
    yield text_row("Merged mining", found.get("hashForMergedMining"))


def _difficulty(found: Json) -> Row:
    own, total = number(found.get("difficulty")), number(found.get("totalDifficulty"))
    if own is None:
        return "Difficulty", None
    return "Difficulty", [
        f"{own:,}",
        ("" if total is None else f" · {total:,} in all", output.FAINT),
    ]


def _size(value: object) -> Row:
    count = number(value)
    return "Size", None if count is None else [size(count)]


def _uncles(value: object) -> Row:
    return "Uncles", [str(len(value))] if isinstance(value, list) and value else None


def _extra(value: object) -> Row:
    """The extra data, and the text in it if it is one."""
    if value in (None, "0x"):
        return "Extra data", None
    try:
        text = bytes.fromhex(str(value)[2:]).decode()
    except ValueError:
        text = ""
    told = f" · {text}" if text.isprintable() and text else ""
    return "Extra data", [str(value), (told, output.FAINT)]


def _receipts(node: Client, found: Json, transactions: Sequence[Json]) -> list[Json | None]:
    """The receipts of the transactions; None for what is pending or not answered."""
    if found.get("hash") is None:
        return [None] * len(transactions)
    answers: list[Any] = node.batch(
        [("eth_getTransactionReceipt", each.get("hash")) for each in transactions]
    )
    return [None if isinstance(each, RpcFailure) else each for each in answers]


def _show_transaction(tx: Json, receipt: Json | None, notation: Notation, why: str | None) -> None:
    place = number(tx.get("transactionIndex"))
    index = "" if place is None else str(place)
    output.write(
        (f"{index:>3} ", output.TITLE), status_piece(status(receipt), 10), str(tx.get("hash"))
    )
    output.field("    from", (notation.address(tx.get("from")), output.NAME))
    output.field(*_destination(tx, receipt, notation))
    output.field("", _summary(tx, receipt, notation))
    if why is not None:
        output.field("    reason", (why, output.BAD))


def _destination(tx: Json, receipt: Json | None, notation: Notation) -> tuple[str, output.Piece]:
    if tx.get("to") is not None:
        return "    to", (notation.address(tx["to"]), output.NAME)
    created = (receipt or {}).get("contractAddress")
    if status(receipt) == FAILED:
        return "    to", ("a new contract", output.FAINT)
    shown = notation.address(created) if created else "a new contract"
    return "    creates", (shown, output.NAME)


def _summary(tx: Json, receipt: Json | None, notation: Notation) -> str:
    """Value, call and gas of a transaction in one line."""
    parts = []
    if value := number(tx.get("value")):
        parts.append(notation.amount(value))
    data = str(tx.get("input") or "0x")
    if tx.get("to") is not None and len(data) >= SELECTOR_CHARACTERS:
        parts.append(f"call {data[:SELECTOR_CHARACTERS]}")
    limit, used = number(tx.get("gas")) or 0, number((receipt or {}).get("gasUsed"))
    parts.append(f"gas limit {limit:,}" if used is None else f"gas {used:,} of {limit:,}")
    price = number((receipt or {}).get("effectiveGasPrice"))
    if used is not None and price:
        parts.append(f"fee {notation.amount(used * price)}")
    return " · ".join(parts)
