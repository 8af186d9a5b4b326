"""Fetching and showing transactions, receipts, logs and their failures; labelled rows of values.

The commands work on nodes of any kind: fields that a node does not return are not shown.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from devchain.cli import output
from devchain.cli.format import Notation, age, bar, gas_price, moment, number, percent, plural, size
from devchain.cli.output import Piece, Row
from devchain.client.http import Client
from devchain.clock import Clock
from devchain.contracts.revert_reasons import REVERTED, decode_reason, format_custom_error
from devchain.errors import BlockNotFound, DevchainError, RpcFailure, TransactionNotFound

Json = dict[str, Any]

WORD_DIGITS = 64
SELECTOR_DIGITS = 8
MAX_SHOWN_WORDS = 8
FAILED = "failed"
STATUS_STYLES = {"ok": output.GOOD, FAILED: output.BAD, "pending": "yellow"}

EIP1191_VARIABLE = "DEVCHAIN_CHECKSUM_ADDRESSES"
"""The variable of the option `--checksum-addresses` of `devchain start`."""
TRUE = {"1", "true", "t", "yes", "y", "on"}
"""What Typer takes for true in a variable."""

# Beginning of error messages of devchain, ganache and Hardhat.
VM_EXCEPTION = "VM Exception while processing transaction: "


def chain_notation(node: Client) -> Notation:
    """The notation of the node's chain."""
    try:
        return notation_of(number(node.call("eth_chainId")) or 0)
    except RpcFailure:
        return notation_of(0)


def notation_of(chain_id: int) -> Notation:
    """The notation of a chain: EIP-1191's addresses if the environment asks for them."""
    return Notation(chain_id, os.environ.get(EIP1191_VARIABLE, "").lower() in TRUE)


def find_block(node: Client, reference: str | Json, *, full: bool = False) -> Json:
    """The block with that number, tag or hash; raises `BlockNotFound`."""
    if isinstance(reference, dict):
        name = reference["blockHash"]
        block = node.call("eth_getBlockByHash", name, full)
    else:
        name = str(number(reference) if number(reference) is not None else reference)
        block = node.call("eth_getBlockByNumber", reference, full)
    if block is None:
        raise BlockNotFound(f"no block {name} on this node")
    return dict(block)


def find_transaction(node: Client, tx_hash: str) -> tuple[Json, Json | None]:
    """A transaction and its receipt, None while it is pending; raises `TransactionNotFound`."""
    tx = node.call("eth_getTransactionByHash", tx_hash)
    if tx is None:
        raise TransactionNotFound(f"no transaction {tx_hash} on this node")
    return tx, node.call("eth_getTransactionReceipt", tx_hash)


def mined_at(node: Client, receipt: Json | None) -> object:
    """The timestamp of the block of a receipt; None without a receipt or block."""
    if receipt is None:
        return None
    with suppress(DevchainError):
        return find_block(node, receipt["blockNumber"]).get("timestamp")
    return None


def status(receipt: Json | None) -> str:
    """`ok`, `failed`, `pending`, or `mined` if the node returns no status."""
    if receipt is None:
        return "pending"
    return {1: "ok", 0: FAILED}.get(_int(receipt, "status", -1), "mined")


def status_piece(status: str, width: int = 0) -> Piece:
    """A status in its color."""
    return (f"{status:<{width}}", STATUS_STYLES.get(status, ""))


def failure_reason(node: Client, tx: Json, receipt: Json | None) -> str | None:
    """Why a mined transaction failed, by calling it on the parent block; None if it succeeded."""
    if receipt is None or status(receipt) != FAILED:
        return None
    parent = hex(max(_int(receipt, "blockNumber") - 1, 0))
    request = {key: tx[key] for key in ("from", "to", "gas", "value") if tx.get(key)}
    try:
        node.call("eth_call", {**request, "data": tx.get("input", "0x")}, parent)
    except RpcFailure as failure:
        return revert_reason(failure)
    if _int(receipt, "gasUsed") == _int(tx, "gas"):
        return "out of gas"
    return "unknown: the same call on the parent block succeeds"


def revert_reason(failure: RpcFailure) -> str:
    """Why a call failed: the decoded revert payload, else the node's error message."""
    payload = _revert_payload(failure.data)
    if text := decode_reason(payload):
        return text
    _, is_revert, details = failure.message.partition(REVERTED)
    if details := details.lstrip(": "):
        return details
    default = "no reason given" if is_revert else failure.message.removeprefix(VM_EXCEPTION)
    return format_custom_error(payload) or default


def _revert_payload(data: object) -> bytes:
    """The payload in an error's `data`, which some nodes wrap in an object or in a sentence."""
    if isinstance(data, dict):
        return _revert_payload(data.get("data") or data.get("result"))
    if not isinstance(data, str):
        return b""
    _, _, digits = data.partition("0x")
    try:
        return bytes.fromhex(digits[: len(digits) // 2 * 2])
    except ValueError:
        return b""


def time_row(timestamp: object) -> Row:
    """A timestamp as a date, relative to now, and in seconds."""
    seconds = number(timestamp)
    if seconds is None:
        return "Time", None
    ago = age(seconds, Clock().now())
    return "Time", [moment(seconds), (f" · {ago} · {seconds}", output.FAINT)]


def amount_row(label: str, value: object, notation: Notation) -> Row:
    """An amount in whole coins and in wei."""
    wei = number(value)
    return label, None if wei is None else _with_wei(notation.amount(wei), wei)


def price_row(label: str, value: object) -> Row:
    """A gas price in gwei and in wei."""
    wei = number(value)
    return label, None if wei is None else _with_wei(gas_price(wei), wei)


def _with_wei(text: str, wei: int) -> list[Piece]:
    """An amount, followed by the same in wei unless it is that already, or nothing."""
    return [text] if not wei or text.endswith(" wei") else [text, (f" · {wei:,} wei", output.FAINT)]


def gas_row(used: object, limit: object) -> Row:
    """The gas used, with a bar and its share of the limit."""
    gas_used, gas_limit = number(used), number(limit)
    if gas_used is None or gas_limit is None:
        return "Gas", None
    full, empty = bar(gas_used, gas_limit)
    share = f" {percent(gas_used, gas_limit)} · {gas_used:,} of {gas_limit:,}"
    return "Gas", [(full, "green"), (empty, output.FAINT), share]


def text_row(label: str, value: object) -> Row:
    """A value as the node returned it."""
    return label, None if value is None else [str(value)]


def address_row(label: str, value: object, notation: Notation) -> Row:
    """An address with its checksum."""
    return label, None if value is None else [(notation.address(value), output.NAME)]


def transaction_rows(
    tx: Json, receipt: Json | None, notation: Notation, timestamp: object = None
) -> Iterator[Row]:
    """A transaction with the main fields of its receipt; `timestamp` is its block's."""
    yield text_row("Hash", tx.get("hash"))
    if receipt is not None:
        yield "Block", [f"{_int(receipt, 'blockNumber'):,}", _index(receipt)]
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
    """A receipt without its logs."""
    yield text_row("Transaction", receipt.get("transactionHash"))
    yield "Block", [f"{_int(receipt, 'blockNumber'):,}", _index(receipt)]
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
    """The input of a transaction: selector and 32-byte words, or the size of init code."""
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
    """The address, topics and data of a log."""
    yield address_row("Address", log.get("address"), notation)
    for index, topic in enumerate(log.get("topics") or ()):
        yield text_row(f"Topic {index}", topic)
    yield from word_rows("Data", str(log.get("data") or "0x")[2:])


def word_rows(label: str, digits: str) -> Iterator[Row]:
    """Bytes in lines of 32, the first `MAX_SHOWN_WORDS` of them."""
    words = [digits[start : start + WORD_DIGITS] for start in range(0, len(digits), WORD_DIGITS)]
    for index, word in enumerate(words[:MAX_SHOWN_WORDS]):
        yield ("" if index else label), [f"0x{word}"]
    if len(words) > MAX_SHOWN_WORDS:
        hidden = len(words) - MAX_SHOWN_WORDS
        yield "", [(f"… {plural(hidden, 'more word')}; --json shows them", output.FAINT)]


def show_logs(logs: Sequence[Json], notation: Notation) -> None:
    """Write logs one below the other."""
    for log in logs:
        output.write_blank_line()
        output.write_title(f"Log {_int(log, 'logIndex')}")
        output.write_fields(log_rows(log, notation))


def show_calls(node: Client, tx_hash: str) -> None:
    """Write the call tree and console output of a mined transaction, if the node is devchain."""
    try:
        explanation = node.call("devchain_explainTransaction", tx_hash) or {}
    except RpcFailure:
        return  # another kind of node
    lines, printed = explanation.get("callTree", []), explanation.get("console", [])
    if len(lines) > 1 or explanation.get("called"):
        output.write_blank_line()
        output.write_line(("Calls", output.TITLE))
        for line in lines:
            output.write_line(f"  {line}")
    for line in printed:
        output.write_field("Console", str(line))


def show_receipt(receipt: Json, notation: Notation, reason: str | None) -> None:
    """Write a receipt with its logs, and the reason if the transaction failed."""
    output.write_line(("Receipt", output.TITLE), " ", status_piece(status(receipt)))
    if reason is not None:
        output.write_field("Reason", (reason, output.BAD))
    output.write_fields(receipt_rows(receipt, notation))
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
    """The contract created; nodes return an address even if the creation failed."""
    if receipt is None or status(receipt) == FAILED:
        return label, None
    return address_row(label, receipt.get("contractAddress"), notation)


def _fee_row(receipt: Json, price: object, notation: Notation) -> Row:
    wei = number(price)
    if wei is None:
        return "Fee", None
    return amount_row("Fee", _int(receipt, "gasUsed") * wei, notation)


def _index(receipt: Json) -> Piece:
    return (f" · transaction {_int(receipt, 'transactionIndex')}", output.FAINT)


def _int(item: Json, key: str, default: int = 0) -> int:
    value = number(item.get(key))
    return default if value is None else value
