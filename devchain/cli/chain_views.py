"""Fetching and showing transactions, receipts, logs and their failures; labelled rows of values.

The commands work on nodes of any kind: fields that a node does not return are not shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar

from devchain.cli import output
from devchain.cli.format import Notation, bar, data_bytes, is_address, number, size
from devchain.cli.output import LINE_STYLES, Piece, Row
from devchain.client.http import Client
from devchain.client.project_names import project_contracts, project_names
from devchain.clock import Clock
from devchain.errors import (
    BlockNotFound,
    DevchainError,
    InvalidInput,
    RpcFailure,
    TransactionNotFound,
)
from devchain.evm.revert_reasons import REVERTED, decode_reason, format_custom_error
from devchain.text import LineKind, age, gas_price, moment, percent, plural, shorten

if TYPE_CHECKING:
    from devchain.contracts.names import Names
    from devchain.types import Address

Json = dict[str, Any]
Thing = TypeVar("Thing")

WORD_DIGITS = 64
SELECTOR_DIGITS = 8
MAX_SHOWN_WORDS = 8
MAX_LINES = 200
"""Lines of a source trace, which other nodes may send too."""

MAX_REASON = 2_000
"""Characters of a reason: a contract can revert with a text of any size."""

MAX_PRECOMPILED = 2**32
"""Contracts at lower addresses are the EVM's or Rootstock's own."""

FAILED = "failed"
ADDRESS_MEMBERS = frozenset({"address", "contractAddress", "from", "miner", "to"})
STATUS_STYLES = {"ok": output.GOOD, FAILED: output.BAD, "pending": "yellow"}

EIP1191_VARIABLE = "DEVCHAIN_CHECKSUM_ADDRESSES"
"""The variable of the option `--checksum-addresses` of `devchain start`."""
TRUE = {"1", "true", "t", "yes", "y", "on"}
"""What Typer takes for true in a variable."""

TYPED_ADDRESS = re.compile(r"(?<![0-9a-zA-Z])0x[0-9a-fA-F]{40}(?![0-9a-zA-Z])")
"""An address in what was typed, alone or in the JSON of an array."""

FACT_MISSING = -32002
"""The code of devchain's errors for what it does not know of a forked chain."""

NO_REASON = "no reason given"
UNNAMED_ERROR = re.compile(r"custom error 0x[0-9a-fA-F]{8}")
WEI = re.compile(r"\b([1-9][0-9]{12,79}) wei\b")
"""An amount that is shown in coins too; smaller ones are not (see `text.amount`)."""

# Beginning of error messages of devchain, ganache and Hardhat.
VM_EXCEPTION = "VM Exception while processing transaction: "


def chain_notation(node: Client, *found: object) -> Notation:
    """The notation of the node's chain, with the names of the contracts in what was found."""
    addresses = sorted(set(_addresses(found)))
    naming = [("devchain_nameContracts", addresses)] if addresses else []
    chain_id, *rest = node.batch([("eth_chainId",), *naming])
    names: list[str | None] = []
    if rest and _known(rest[0]) is None:
        names = _by_project(node, addresses, lambda known, each: known.contract(_address(each)))
    elif rest:
        names = _texts(rest[0], len(addresses))
    known = {address: name for address, name in zip(addresses, names, strict=True) if name}
    return notation_of(number(_known(chain_id)) or 0, known)


def _known(answer: object) -> object:
    # That a fact of a forked chain is missing, and how to record it, is said once a command.
    if not isinstance(answer, RpcFailure):
        return answer
    if answer.code == FACT_MISSING:
        output.write_warning("fork", f"not all is shown: {answer.message}")
    return None


def _asked(node: Client, method: str, *parameters: object) -> object:
    return _known(node.batch([(method, *parameters)])[0])


def receipts_of(node: Client, transactions: Sequence[Json]) -> list[Json | None]:
    """The receipts of mined transactions; empty ones for those that the node does not return."""
    hashes = [each.get("hash") for each in transactions]
    found = node.batch([("eth_getTransactionReceipt", each) for each in hashes])
    return [each if isinstance(each, dict) else {} for each in map(_known, found)]


def warn_of_checksums(node: Client, *texts: str | None) -> None:
    """Warn of addresses in what was typed whose letter case is not that of their checksum."""
    found = [each for text in texts if text for each in TYPED_ADDRESS.findall(text)]
    # The chain id, which EIP-1191 needs, is asked for only if EIP-55 does not say that all is well.
    if all(Notation(0).has_checksum(each) for each in found):
        return
    notation = chain_notation(node)
    for each in found:
        if not notation.has_checksum(each):
            output.write_note(
                f"warning: the letter case of {each} is not that of its checksum: "
                "compare its digits"
            )


def warn_of_missing_code(node: Client, address: str) -> None:
    """Warn of a call of what is no contract; precompiled ones have no code either."""
    if int(address, 16) <= MAX_PRECOMPILED:
        return
    with suppress(RpcFailure):
        if node.call("eth_getCode", address, "latest") == "0x":
            output.write_note(f"warning: {address} has no code: calling it does nothing")


def notation_of(chain_id: int, names: Mapping[str, str] | None = None) -> Notation:
    """The notation of a chain: EIP-1191's addresses if the environment asks for them."""
    uses_eip1191 = os.environ.get(EIP1191_VARIABLE, "").lower() in TRUE
    return Notation(chain_id, uses_eip1191, names or {})


def _addresses(found: object) -> Iterator[str]:
    if isinstance(found, (list, tuple)):
        for each in found:
            yield from _addresses(each)
    elif isinstance(found, dict):
        for name, value in found.items():
            if name in ADDRESS_MEMBERS and isinstance(value, str) and is_address(value):
                yield value.lower()
            elif isinstance(value, (list, dict)):
                yield from _addresses(value)


def _texts(answer: object, count: int) -> list[str | None]:
    if not isinstance(answer, list) or len(answer) != count:
        return [None] * count
    return [each if isinstance(each, str) else None for each in answer]


def describe_calls(node: Client, transactions: Sequence[Json]) -> list[str | None]:
    """What each transaction called or created, as far as the node or the project here knows it."""
    calls = [
        {
            key: tx[key]
            for key in (("to", "input") if tx.get("to") else ("from", "nonce", "input"))
            if tx.get(key) is not None
        }
        for tx in transactions
    ]

    def describe(names: Names, call: Json) -> str | None:
        to = call.get("to")
        return names.known_call(_address(to) if to else None, data_bytes(call.get("input") or "0x"))

    return _described(node, "devchain_describeCalls", calls, describe)


def describe_logs(node: Client, logs: Sequence[Json]) -> list[str | None]:
    """Event and arguments of each log, as far as the node or the project here knows it."""

    def describe(names: Names, log: Json) -> str | None:
        from devchain.types import Hash32

        topics = [Hash32(data_bytes(each)) for each in log.get("topics") or ()]
        body = data_bytes(log.get("data") or "0x")
        return names.event(_address(log.get("address")), topics, body)

    return _described(node, "devchain_describeLogs", logs, describe)


def _described(
    node: Client, method: str, things: Sequence[Json], describe: Callable[[Names, Json], str | None]
) -> list[str | None]:
    if not things:
        return []
    answer = _asked(node, method, things)
    if answer is None:
        return _by_project(node, things, describe)
    return _texts(answer, len(things))


def _by_project(
    node: Client, things: Sequence[Thing], describe: Callable[[Names, Thing], str | None]
) -> list[str | None]:
    names = project_names(node)
    if names is None:
        return [None] * len(things)
    found: list[str | None] = []
    for each in things:
        try:
            found.append(describe(names, each) or None)
        except InvalidInput:  # the node returned no hex
            found.append(None)
    return found


def _address(text: object) -> Address:
    from devchain.types import Address

    return Address(data_bytes(text))


def explain(node: Client, tx_hash: str) -> Json:
    """What the node says of a mined transaction: devchain all, others calls that they trace.

    Empty if it traces none.
    """
    answer = _asked(node, "devchain_explainTransaction", tx_hash)
    if answer is None:
        from devchain.client.traced_calls import explain_traced

        with suppress(DevchainError):
            return explain_traced(node, tx_hash)
    return answer if isinstance(answer, dict) else {}


def explain_call(node: Client, request: Json, block: object = "latest") -> Json:
    """What devchain says of a call that failed; empty if the node is another."""
    answer = _asked(node, "devchain_explainCall", request, block)
    return answer if isinstance(answer, dict) else {}


def source_lines(explanation: Json, reason: str) -> list[str]:
    """Where in the source it failed as lines, with the reason only if it is another.

    Empty if neither a place nor a hint is known.
    """
    trace = explanation.get("sourceTrace")
    if not isinstance(trace, dict):
        return []
    frames, lines = trace.get("frames"), trace.get("text")
    if not isinstance(frames, list) or not isinstance(lines, list):
        return []
    has_place = any(isinstance(each, dict) and each.get("line") for each in frames)
    if not has_place and not trace.get("hint"):
        return []
    shown = [str(each) for each in lines[:MAX_LINES]]
    is_known = shown[:1] == [REVERTED] or (reason and "".join(shown[:1]).endswith(reason))
    return shown[1:] if is_known else shown


def find_block(node: Client, reference: str | Json, *, full: bool = False) -> Json:
    """The block with that number, tag or hash; raises `BlockNotFound`."""
    if isinstance(reference, dict):
        name = reference["blockHash"]
        block = node.call("eth_getBlockByHash", name, full)
    else:
        height = number(reference)
        name = reference if height is None else f"{height:,}"
        block = node.call("eth_getBlockByNumber", reference, full)
    if block is None:
        newest = number(node.call("eth_blockNumber"))
        hint = "" if newest is None else f": the newest is {newest:,}"
        raise BlockNotFound(f"no block {name} on this node{hint}")
    return dict(block)


def find_transaction(node: Client, tx_hash: str) -> tuple[Json, Json | None]:
    """A transaction and its receipt, None while it is pending; raises `TransactionNotFound`."""
    tx = node.call("eth_getTransactionByHash", tx_hash)
    if tx is None:
        raise TransactionNotFound(f"no transaction {tx_hash} on this node")
    return tx, node.call("eth_getTransactionReceipt", tx_hash)


def pool_content(node: Client) -> object:
    """The result of `txpool_content`, or of `eth_pendingTransactions` on nodes without it."""
    try:
        return node.call("txpool_content")
    except RpcFailure:
        return node.call("eth_pendingTransactions")


def pool_transactions(content: object) -> Iterator[Json]:
    """The transactions in a mempool's content, which nodes nest by sender and nonce or list."""
    if isinstance(content, dict) and "hash" in content:
        yield content
    elif isinstance(content, (dict, list)):
        for each in content.values() if isinstance(content, dict) else content:
            yield from pool_transactions(each)


def pending_nonce(node: Client, sender: str) -> int | None:
    """The nonce of a sender's next transaction; None if the node does not say."""
    try:
        return number(node.call("eth_getTransactionCount", sender, "pending"))
    except RpcFailure:
        return None


def mined_row(node: Client, receipt: Json | None) -> Row:
    """The time of the block of a receipt; without a value if there is no receipt or block."""
    if receipt is not None:
        with suppress(DevchainError):
            timestamp = find_block(node, receipt["blockNumber"]).get("timestamp")
            return time_row(timestamp, chain_time(node))
    return time_row(None, 0)


def status(receipt: Json | None) -> str:
    """`ok`, `failed`, `pending`, or `mined` if the node returns no status."""
    if receipt is None:
        return "pending"
    return {1: "ok", 0: FAILED}.get(_int(receipt, "status", -1), "mined")


def status_piece(status: str, width: int = 0) -> Piece:
    """A status in its color."""
    return (f"{status:<{width}}", STATUS_STYLES.get(status, ""))


def failure_reason(
    node: Client, tx: Json, receipt: Json | None, explanation: Json | None = None
) -> str | None:
    """Why a mined transaction failed; None if it succeeded.

    Devchain explains it, other nodes trace it; elsewhere it is called again on the parent block.
    """
    if receipt is None or status(receipt) != FAILED:
        return None
    explained = explain(node, str(tx.get("hash"))) if explanation is None else explanation
    reason = _explained_reason(explained)
    if reason and not (UNNAMED_ERROR.fullmatch(reason) and project_contracts()):
        return reason
    return _reason_of_a_call(node, tx, receipt, reason)


def brief_reason(
    node: Client, tx: Json, receipt: Json | None, explanation: Json | None = None
) -> str | None:
    """Why a mined transaction failed, on one line: the hint if it gives no reason.

    None if it succeeded.
    """
    if receipt is None or status(receipt) != FAILED:
        return None
    explained = explain(node, str(tx.get("hash"))) if explanation is None else explanation
    reason = failure_reason(node, tx, receipt, explained)
    trace = explained.get("sourceTrace")
    hint = trace.get("hint") if isinstance(trace, dict) else None
    return (
        shorten(hint, MAX_REASON)
        if reason == NO_REASON and isinstance(hint, str) and hint
        else reason
    )


def _reason_of_a_call(node: Client, tx: Json, receipt: Json, reason: str | None) -> str:
    parent = hex(max(_int(receipt, "blockNumber") - 1, 0))
    request = {key: tx[key] for key in ("from", "to", "gas", "value") if tx.get(key)}
    try:
        node.call("eth_call", {**request, "data": tx.get("input", "0x")}, parent)
    except RpcFailure as failure:
        if failure.code == FACT_MISSING:
            _known(failure)
            return reason or "unknown"
        again = revert_reason(failure)
        return again if reason is None or again.startswith("custom error") else reason
    if reason:
        return reason
    if _int(receipt, "gasUsed") == _int(tx, "gas"):
        return "out of gas"
    return "unknown: the same call on the parent block succeeds"


def revert_reason(failure: RpcFailure, explanation: Json | None = None) -> str:
    """Why a call failed, shortened: what devchain says, the revert payload, the error's message.

    A custom error that the node does not know is looked up in the project here.
    """
    reason = _explained_reason(explanation or {})
    reason = reason or shorten(_revert_reason(failure), MAX_REASON)
    if UNNAMED_ERROR.fullmatch(reason):
        return _named_here(_revert_payload(failure.data)) or reason
    return reason


def _explained_reason(explanation: Json) -> str | None:
    failure = explanation.get("failure")
    if not isinstance(failure, str):
        return None
    return shorten(failure.removeprefix(REVERTED).lstrip(": "), MAX_REASON) or NO_REASON


def _named_here(payload: bytes) -> str:
    registry = project_contracts()
    known = registry.decode_error(payload) if registry else None
    return shorten(f"custom error {known}", MAX_REASON) if known else ""


def with_hint(node: Client, reason: str) -> str:
    """A reason, with what to do for the name of a custom error that is shown by its selector."""
    if not UNNAMED_ERROR.fullmatch(reason):
        return reason
    hint = (
        f"{reason}; for its name, run this in the folder of the contract's project, or give the "
        "node its artifact: `devchain start --artifacts PROJECT`"
    )
    with suppress(RpcFailure, TypeError):  # a node may answer anything
        if "devchain" in node.call("rpc_modules"):
            hint += ", or `devchain rpc devchain_addArtifacts @FILE`"
    return hint


@contextmanager
def amounts_in_coins(node: Client) -> Iterator[None]:
    """Amounts of wei in the node's refusals also in coins: `balance 1 RBTC (1,000.. wei)`."""
    try:
        yield
    except RpcFailure as failure:
        if not WEI.search(failure.message):
            raise
        amount = chain_notation(node).amount
        text = WEI.sub(
            lambda found: f"{amount(int(found[1]))} ({int(found[1]):,} wei)", failure.message
        )
        raise RpcFailure(failure.code, text, failure.data) from None


def _revert_reason(failure: RpcFailure) -> str:
    payload = _revert_payload(failure.data)
    if text := decode_reason(payload):
        return text
    _, is_revert, details = failure.message.partition(REVERTED)
    details = details.lstrip(": ")
    if details and not UNNAMED_ERROR.match(details):
        return details
    default = NO_REASON if is_revert else failure.message.removeprefix(VM_EXCEPTION)
    return format_custom_error(payload) or details or default


def _revert_payload(data: object) -> bytes:
    if isinstance(data, dict):
        return _revert_payload(data.get("data") or data.get("result"))
    if not isinstance(data, str):
        return b""
    _, _, digits = data.partition("0x")
    try:
        return bytes.fromhex(digits[: len(digits) // 2 * 2])
    except ValueError:
        return b""


def chain_time(node: Client) -> int:
    """The chain's time, to which ages are relative: the wall clock's if the node has none."""
    try:
        return number(node.call("devchain_getTime")) or 0
    except RpcFailure:
        return Clock().now()


def time_row(timestamp: object, now: int) -> Row:
    """A timestamp as a date, relative to the chain's time, and in seconds."""
    seconds = number(timestamp)
    if seconds is None:
        return "Time", None
    return "Time", [moment(seconds), (f" · {age(seconds, now)} · {seconds}", output.FAINT)]


def amount_row(label: str, value: object, notation: Notation) -> Row:
    """An amount in whole coins and in wei."""
    wei = number(value)
    return label, None if wei is None else _with_wei(notation.amount(wei), wei)


def price_row(label: str, value: object) -> Row:
    """A gas price in gwei and in wei."""
    wei = number(value)
    return label, None if wei is None else _with_wei(gas_price(wei), wei)


def _with_wei(text: str, wei: int) -> list[Piece]:
    # An amount, followed by the same in wei unless it is that already, or nothing.
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
    """An address with its checksum and the name of its contract."""
    return label, None if value is None else [(notation.named(value), output.NAME)]


def transaction_rows(
    tx: Json,
    receipt: Json | None,
    notation: Notation,
    mined: Row,
    called: str | None = None,
) -> Iterator[Row]:
    """A transaction with the main fields of its receipt.

    `mined` is the time of its block, `called` its input as text.
    """
    yield text_row("Hash", tx.get("hash"))
    if receipt is not None:
        yield "Block", [f"{_int(receipt, 'blockNumber'):,}", _index(receipt)]
        yield text_row("Block hash", receipt.get("blockHash"))
        yield mined
    yield address_row("From", tx.get("from"), notation)
    yield address_row("To", tx.get("to"), notation)
    yield _created_row("Creates", receipt, notation)
    yield amount_row("Value", tx.get("value"), notation)
    yield from _cost_rows(tx, receipt, notation)
    yield "Nonce", [f"{_int(tx, 'nonce'):,}"]
    yield text_row("Type", number(tx.get("type")))
    yield from input_rows(tx, called)


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


def input_rows(tx: Json, called: str | None = None) -> Iterator[Row]:
    """The input of a transaction: what it called, else selector and 32-byte words.

    Of a creation the size of its init code is shown.
    """
    digits = str(tx.get("input") or tx.get("data") or "0x")[2:]
    count = size(len(digits) // 2)
    if called is not None:
        yield "Input", [called]
    if not digits:
        return
    if tx.get("to") is None:
        yield "Init code", [count]
        return
    if called is not None:
        yield "", [(f"0x{digits[:SELECTOR_DIGITS]} · {count}", output.FAINT)]
        return
    if len(digits) % WORD_DIGITS != SELECTOR_DIGITS:
        yield "Input", [count]
        yield from word_rows("", digits)
        return
    yield "Input", [f"0x{digits[:SELECTOR_DIGITS]}", (f" · {count}", output.FAINT)]
    yield from word_rows("", digits[SELECTOR_DIGITS:])


def log_rows(log: Json, notation: Notation, event: str | None = None) -> Iterator[Row]:
    """The address of a log and its event, else its topics and data."""
    yield address_row("Address", log.get("address"), notation)
    if event is not None:
        yield "Event", [event]
        return
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


def show_logs(node: Client, logs: Sequence[Json], notation: Notation) -> None:
    """Write logs one below the other."""
    for log, event in zip(logs, describe_logs(node, logs), strict=True):
        output.write_blank_line()
        output.write_title(f"Log {_int(log, 'logIndex'):,}")
        output.write_fields(log_rows(log, notation, event))


def show_calls(explanation: Json) -> None:
    """Write the call tree and console output of a mined transaction, as devchain explains it."""
    lines, printed = explanation.get("callTree") or [], explanation.get("console") or []
    places = explanation.get("consolePlaces") or []
    if len(lines) > 1 or explanation.get("called"):
        output.write_blank_line()
        output.write_line(("Calls", output.TITLE))
        output.write_tree([str(line) for line in lines])
    for line, place in zip_longest(printed, places[: len(printed)]):
        output.write_field("Console", str(line), (f"  {place}" if place else "", output.FAINT))


def show_reason(reason: str | None, explanation: Json) -> None:
    """Write why a transaction failed, a hint and the place in the source."""
    if reason is None:
        return
    output.write_field("Reason", (reason, output.BAD))
    trace = explanation.get("sourceTrace")
    if not isinstance(trace, dict):
        return
    if trace.get("hint"):
        output.write_field("Hint", (str(trace["hint"]), LINE_STYLES[LineKind.HINT]))
    if place := innermost_place(trace):
        output.write_field("At", place)


def innermost_place(trace: Json) -> str:
    """File and line of the innermost function whose place is known."""
    frames = trace.get("frames")
    for frame in reversed(frames if isinstance(frames, list) else []):
        if isinstance(frame, dict) and frame.get("line"):
            near = "near " if frame.get("approximate") else ""
            return f"{near}{frame.get('file')}:{frame['line']}"
    return ""


def show_receipt(
    node: Client,
    receipt: Json,
    notation: Notation,
    reason: str | None,
    explanation: Json | None = None,
) -> None:
    """Write a receipt with its logs, and why the transaction failed if it did."""
    output.write_line(("Receipt", output.TITLE), " ", status_piece(status(receipt)))
    show_reason(reason, explanation or {})
    output.write_fields(receipt_rows(receipt, notation))
    show_logs(node, receipt.get("logs") or [], notation)


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
    # The contract created; nodes return an address even if the creation failed.
    if receipt is None or status(receipt) == FAILED:
        return label, None
    return address_row(label, receipt.get("contractAddress"), notation)


def _fee_row(receipt: Json, price: object, notation: Notation) -> Row:
    wei = number(price)
    if wei is None:
        return "Fee", None
    return amount_row("Fee", _int(receipt, "gasUsed") * wei, notation)


def _index(receipt: Json) -> Piece:
    return (f" · transaction {_int(receipt, 'transactionIndex'):,}", output.FAINT)


def _int(item: Json, key: str, default: int = 0) -> int:
    value = number(item.get(key))
    return default if value is None else value
