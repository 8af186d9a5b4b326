"""`devchain inspect block`: a block with its header fields and transactions."""

from __future__ import annotations

from collections.abc import Iterator

from devchain.cli import output
from devchain.cli.chain_views import (
    FAILED,
    Json,
    address_row,
    amount_row,
    brief_reason,
    chain_notation,
    chain_time,
    describe_calls,
    find_block,
    gas_row,
    price_row,
    receipts_of,
    status,
    status_piece,
    text_row,
    time_row,
)
from devchain.cli.format import Notation, number, size
from devchain.cli.options import DEFAULT_URL, AsJson, Block, Url, block_reference, connect
from devchain.cli.output import Row
from devchain.text import plural

SELECTOR_LENGTH = 10


def block(block: Block = "latest", url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show a block: its header, and each transaction with status, gas and revert reason.

    Examples:
      devchain inspect block latest
      devchain inspect block 12 --json
    """
    node = connect(url)
    found = find_block(node, block_reference(block), full=True)
    if as_json:
        output.write_json(found)
        return
    transactions = [each for each in found.get("transactions") or [] if isinstance(each, dict)]
    # anvil gives its pending block number and hash, Hardhat a hash.
    is_pending = block == "pending" or found.get("hash") is None
    receipts = [None] * len(transactions) if is_pending else receipts_of(node, transactions)
    notation = chain_notation(node, found, receipts)
    called = describe_calls(node, transactions)
    name = "Pending block" if is_pending else f"Block {number(found.get('number')) or 0:,}"
    output.write_title(name, plural(len(transactions), "transaction"))
    output.write_fields(_header_rows(found, notation, chain_time(node)))
    output.write_blank_line()
    output.write_fields(_root_rows(found))
    for tx, receipt, call in zip(transactions, receipts, called, strict=True):
        output.write_blank_line()
        _show_transaction(tx, receipt, notation, call)
        reason = brief_reason(node, tx, receipt)
        if reason is not None:
            output.write_field("    reason", (reason, output.BAD))


def _header_rows(found: Json, notation: Notation, now: int) -> Iterator[Row]:
    yield text_row("Hash", found.get("hash"))
    yield text_row("Parent", found.get("parentHash"))
    yield time_row(found.get("timestamp"), now)
    yield address_row("Miner", found.get("miner"), notation)
    yield gas_row(found.get("gasUsed"), found.get("gasLimit"))
    yield price_row("Minimum price", found.get("minimumGasPrice"))
    yield price_row("Base fee", found.get("baseFeePerGas"))
    yield amount_row("Fees paid", found.get("paidFees"), notation)
    difficulty, total = number(found.get("difficulty")), number(found.get("totalDifficulty"))
    if difficulty is not None:
        in_all = "" if total is None else f" · {total:,} in all"
        yield "Difficulty", [f"{difficulty:,}", (in_all, output.FAINT)]
    byte_count, uncles = number(found.get("size")), found.get("uncles")
    yield "Size", None if byte_count is None else [size(byte_count)]
    yield "Uncles", [str(len(uncles))] if isinstance(uncles, list) and uncles else None
    yield _extra_data_row(found.get("extraData"))


def _root_rows(found: Json) -> Iterator[Row]:
    yield text_row("State root", found.get("stateRoot"))
    yield text_row("Tx root", found.get("transactionsRoot"))
    yield text_row("Receipts root", found.get("receiptsRoot"))
    yield text_row("Merged mining", found.get("hashForMergedMining"))


def _extra_data_row(value: object) -> Row:
    if value in (None, "0x"):
        return "Extra data", None
    try:
        text = bytes.fromhex(str(value)[2:]).decode()
    except ValueError:
        text = ""
    return "Extra data", [
        str(value),
        (f" · {text}" if text.isprintable() and text else "", output.FAINT),
    ]


def _show_transaction(
    tx: Json, receipt: Json | None, notation: Notation, called: str | None
) -> None:
    index = number(tx.get("transactionIndex"))
    output.write_line(
        (f"{'' if index is None else f'{index:,}':>3} ", output.TITLE),
        status_piece(status(receipt), 10),
        str(tx.get("hash")),
    )
    output.write_field("    from", (notation.named(tx.get("from")), output.NAME))
    output.write_field(*_recipient(tx, receipt, notation))
    data = str(tx.get("input") or "0x")
    if called is not None:
        output.write_field("    call", called)
    elif tx.get("to") is not None and len(data) >= SELECTOR_LENGTH:
        output.write_field("    call", f"{data[:SELECTOR_LENGTH]} · {size(len(data) // 2 - 1)}")
    output.write_field("", _summary(tx, receipt, notation))


def _recipient(tx: Json, receipt: Json | None, notation: Notation) -> tuple[str, output.Piece]:
    if tx.get("to") is not None:
        return "    to", (notation.named(tx["to"]), output.NAME)
    created = (receipt or {}).get("contractAddress")
    if status(receipt) == FAILED:
        return "    to", ("a new contract", output.FAINT)
    contract = notation.named(created) if created else "a new contract"
    return "    creates", (contract, output.NAME)


def _summary(tx: Json, receipt: Json | None, notation: Notation) -> str:
    parts = []
    if value := number(tx.get("value")):
        parts.append(notation.amount(value))
    limit, used = number(tx.get("gas")) or 0, number((receipt or {}).get("gasUsed"))
    parts.append(f"gas limit {limit:,}" if used is None else f"gas {used:,} of {limit:,}")
    price = number((receipt or {}).get("effectiveGasPrice"))
    if used is not None and price:
        parts.append(f"fee {notation.amount(used * price)}")
    return " · ".join(parts)
