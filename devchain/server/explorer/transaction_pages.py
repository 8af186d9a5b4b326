"""Pages of a transaction: what it called and emitted, why it failed, its calls, what it changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from devchain.chain.block import Receipt, mined_logs
from devchain.client.views import AccountView, TransactionView, short
from devchain.contracts.console import console_message
from devchain.contracts.names import ValueText
from devchain.contracts.storage_names import StorageNames
from devchain.errors import ExecutionTimedOut, UnsupportedTransactionType
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.node.contract_storage import difference_of, storage_names
from devchain.server.explorer.bitcoin_pages import peg
from devchain.server.explorer.page import Page, RawCall
from devchain.server.explorer.reader import Reader, hex_of, still_mined
from devchain.source.call_tree import EVENT, FAILURE, INTERNAL, CallWords
from devchain.source.source_trace import SourceFrame, SourceTrace
from devchain.text import plural
from devchain.tracing.frames import Frame
from devchain.tracing.tracers import AccountState, Difference
from devchain.types import Address, BeforeTransaction, Transfer

MAX_EVENTS, MAX_MOVED = 500, 100  # equal events are one row
MAX_WORDS = 32
MAX_CALLS = 500
MAX_DEPTH = 60
MAX_ACCOUNTS = 200
CONTENT_NOTE = " (content)"  # behind the name of a string, of a slot with a part of it
MAX_SLOTS = 500  # events, words, calls, changes on a page; the JSON has all of them
WORD_DIGITS = 64
KINDS = {EVENT: "event", INTERNAL: "in", FAILURE: "failure"}
NOTHING = AccountState(0, 0, b"", None)


def page_of(
    template: str, title: str, tx: TransactionView, values: dict[str, object], *raw: RawCall
) -> Page:
    """A page of a transaction, which says so when its block is taken back."""
    shared = {"tx": tx, "live_hash": tx.block_hash}
    return Page(
        template, f"{title} {short(tx.hash)}", {**shared, **values}, raw=raw, section="transactions"
    )


# Overview


def transaction(reader: Reader, tx_hash: str) -> Page:
    tx, mined = reader.find_transaction(tx_hash)
    view = reader.mined(*mined) if mined else reader.pending(tx)
    lists = ("events", "printed", "transfers", "moved", "created", "peg")
    values: dict[str, object] = {**dict.fromkeys(lists, ()), "more_events": 0, "failure": None}
    values |= {"words": input_words(view), "arguments": reader.names.arguments(tx.to, tx.data)}
    raw = ["eth_getTransactionByHash"]
    if mined:
        block, receipt = mined
        lines = (console_message(line) for line in receipt.printed)
        values |= {
            "events": [reader.log(log) for log in mined_logs(block, receipt)[:MAX_EVENTS]],
            "more_events": max(len(receipt.logs) - MAX_EVENTS, 0),
            "printed": [line for line in lines if line is not None],
            "transfers": list(islice(reader.transfers(receipt.logs), MAX_MOVED)),
            **_inner(reader, receipt),
        }
        if BRIDGE in {tx.to, *(log.address for log in receipt.logs)}:
            values |= peg(reader, tx.hash)
        if view.failed and not reader.query.is_json:
            explainer, is_hosted = reader.node.explainer, reader.node.config.hosted
            trace = None if is_hosted else explainer.transaction_source(receipt.transaction.hash)
            values["failure"] = replace(trace or SourceTrace(""), reason=view.reason or "")
        raw += ["eth_getTransactionReceipt", "devchain_explainTransaction"]
    calls: list[RawCall] = [(name, [view.hash]) for name in raw]
    return page_of("transaction.html", "Transaction", view, values, *calls)


def _inner(reader: Reader, receipt: Receipt) -> dict[str, object]:
    # Transfers of the coin, and contracts created, below the first message.
    node, tx = reader.node, receipt.transaction
    precompiled = reader.chain.rules.precompiled_abis()
    is_called = tx.to is None or tx.to in precompiled or bool(reader.names.code_at(tx.to))
    if reader.query.is_json or node.config.hosted or not is_called or not receipt.succeeded:
        return {}
    try:
        top = still_mined(node.explainer.transaction_frames(tx.hash))
    except (ExecutionTimedOut, UnsupportedTransactionType):
        return {}
    below = [frame for frame in top.walk(succeeded=True) if frame is not top]
    moved = [each for each in below if each.transferred]
    created = [each for each in below if each.is_creation]
    paid = [Transfer(None, each.sender, each.to, each.transferred) for each in moved[:MAX_MOVED]]
    made = [(reader.account(each.to), reader.account(each.sender)) for each in created[:MAX_MOVED]]
    return {"moved": [reader.transfer(each) for each in paid], "created": made}


def input_words(tx: TransactionView) -> tuple[Sequence[str], int]:
    """The input in words of 32 bytes behind the selector, and how many are not shown."""
    is_call = tx.selector and not (len(tx.input) - len(tx.selector)) % WORD_DIGITS
    digits = tx.input[len(tx.selector) if is_call else 2 :]
    starts = range(0, len(digits), WORD_DIGITS)
    words = [f"0x{digits[start : start + WORD_DIGITS]}" for start in starts[:MAX_WORDS]]
    return words, max(len(starts) - MAX_WORDS, 0)


# Calls


@dataclass(slots=True)
class CallNode:
    """A call or creation, and what is below it in the order it happened.

    `own_gas` is without the calls below it; `share` of the whole transaction's gas, in percent.
    `number` is its place among all calls, callers first; `has_code` if there are steps of it.
    `failure` is empty for one that succeeded. Events, internal functions and lines of the console
    below it are texts with their kinds and places. Calls with equal keys did the same. `arguments`
    are whole where the call has not all of them.
    """

    frame: Frame
    to: AccountView
    call: str
    value: str
    output: str
    own_gas: int
    share: float
    place: str
    number: int
    has_code: bool
    failure: str = ""
    hint: str = ""
    excerpt: Sequence[str] = ()
    below: list[CallNode | tuple[str, str, str]] = field(default_factory=list)
    hidden: int = 0
    key: tuple[object, ...] = ()
    arguments: Sequence[ValueText] = ()


def calls(reader: Reader, tx_hash: str) -> Page:
    """The calls of a mined transaction, by executing it once more."""
    tx, receipt = reader.find_mined(tx_hash)
    values: dict[str, object] = {}
    if not reader.query.is_json:
        top = still_mined(reader.node.explainer.transaction_frames(receipt.transaction.hash))
        tree = CallTree(reader, top)
        values = {"top": tree.top, "count": tree.count, "hidden": tree.hidden}
    raw: RawCall = ("debug_traceTransaction", [tx.hash, {"tracer": "callTracer"}])
    return page_of("calls.html", "Calls of", tx, values, raw)


class CallTree:
    """The tree of a transaction's frames; `hidden` counts those that are too many or too deep."""

    def __init__(self, reader: Reader, top: Frame) -> None:
        self._reader = reader
        self._words = CallWords.of(reader.names, reader.notation.coin, top)
        self._whole = max(top.gas_used, 1)
        self._numbers = {id(frame): number for number, frame in enumerate(top.walk())}
        self.count = self.hidden = 0
        self.top = self._node(top, 0)

    def _node(self, frame: Frame, depth: int) -> CallNode:
        self.count += 1
        words, reader = self._words, self._reader
        source = words.source(frame)
        node = CallNode(
            frame,
            to=reader.account(frame.to),
            call=words.title(frame),
            value=reader.notation.amount(frame.transferred) if frame.transferred else "",
            output=words.output(frame),
            own_gas=max(frame.gas_used - sum(call.gas_used for call in frame.calls), 0),
            share=100 * frame.gas_used / self._whole,
            place=source[0].place_and_note if source else "",
            number=self._numbers[id(frame)],
            has_code=frame.is_creation or bool(reader.names.code_at(frame.to)),
        )
        if "..." in node.call and not frame.is_creation:
            node.arguments = reader.names.arguments(frame.to, frame.input)
        if frame.error:
            node.failure = words.failure(frame)
            node.hint, node.excerpt = words.explanation(frame, source)
        if depth < MAX_DEPTH:
            node.below = list(self._below(frame, source[1:], depth + 1))
        else:
            node.hidden = sum(1 for _ in frame.walk()) - 1
            self.hidden += node.hidden
        below = (each.key if isinstance(each, CallNode) else each for each in node.below)
        party = frame.kind, frame.to, node.call, node.value
        node.key = (*party, node.output, node.failure, node.place, *below)
        return node

    def _below(
        self, frame: Frame, internal: Sequence[SourceFrame], depth: int
    ) -> Iterator[CallNode | tuple[str, str, str]]:
        for kind, item in self._words.below(frame, list(internal)):
            if not isinstance(item, Frame):
                yield KINDS.get(kind, ""), *item
            elif (printed := self._words.console(item)) is not None:
                yield "console", *printed
            elif self.count >= MAX_CALLS:
                self.hidden += sum(1 for _ in item.walk())
            else:
                yield self._node(item, depth)


# Changes


@dataclass(frozen=True, slots=True)
class Change:
    """A value before and after; `slot` is that of a storage variable, as DATA."""

    name: str
    before: str
    after: str
    difference: str = ""
    slot: str = ""


def changes(reader: Reader, tx_hash: str) -> Page:
    """What a mined transaction changed, by executing it once more."""
    tx, receipt = reader.find_mined(tx_hash)
    values: dict[str, object] = {}
    if not reader.query.is_json:
        at = tx.block or 0, receipt.index
        difference = still_mined(difference_of(reader.node, receipt.transaction.hash))
        accounts = sorted({*difference.before, *difference.after})
        shown = [_changed(reader, difference, each, at) for each in accounts[:MAX_ACCOUNTS]]
        values = {"accounts": shown, "hidden": len(accounts) - len(shown)}
    options = {"tracer": "prestateTracer", "tracerConfig": {"diffMode": True}}
    raw: RawCall = ("debug_traceTransaction", [tx.hash, options])
    return page_of("changes.html", "Changes by", tx, values, raw)


def _changed(
    reader: Reader, difference: Difference, address: Address, at: tuple[int, int]
) -> tuple[AccountView, list[Change], str]:
    # An account, what changed of it, and a note.
    before, after = difference.before.get(address, NOTHING), difference.after.get(address, NOTHING)
    note = "" if address in difference.before else "new account"
    if address not in difference.after:
        note = "deleted"
    changed: list[Change] = []
    if after.balance is not None and after.balance != before.balance:
        had = before.balance or 0
        grown = after.balance - had
        difference_text = f"{'+' if grown > 0 else '-'}{reader.notation.amount(abs(grown))}"
        texts = reader.notation.amount(had), reader.notation.amount(after.balance)
        changed.append(Change("Balance", *texts, difference_text))
    if after.nonce is not None and after.nonce != before.nonce:
        changed.append(Change("Nonce", f"{before.nonce:,}", f"{after.nonce:,}"))
    if after.code is not None and after.code != before.code and (after.code or note == "deleted"):
        sizes = [plural(len(code or b""), "byte") for code in (before.code, after.code)]
        changed.append(Change("Code", *sizes))
    known = difference.preimages, difference.delegates.get(address, {})
    names = storage_names(reader.node, address, *known, reader.names.address)
    slots = sorted({*before.storage, *after.storage})
    state = reader.chain.state_at(BeforeTransaction(*at))

    def read(slot: int) -> int:
        return state.storage(address, slot)

    def read_after(slot: int) -> int:
        unchanged = 0 if slot in before.storage else read(slot)
        return after.storage.get(slot, unchanged)

    for slot in slots[:MAX_SLOTS]:
        changed += _slot_changes(names, slot, (read, read_after))
    shown = {f"{each.name}{CONTENT_NOTE}" for each in changed}  # whole: not again by slot
    changed = [each for each in changed if each.name not in shown]
    if len(slots) > MAX_SLOTS:
        changed.append(Change(f"{len(slots) - MAX_SLOTS:,} more slots are in the JSON", "", ""))
    return reader.account(address), changed, note


def _slot_changes(
    names: StorageNames, slot: int, reads: Sequence[Callable[[int], int]]
) -> Iterator[Change]:
    # The variables of a slot that have changed; the slot itself if they are not known.
    text = hex_of(slot.to_bytes(32))
    was, now = (read(slot) for read in reads)
    before, after = ([each[::2] for each in names.typed(slot, read(slot), read)] for read in reads)
    if not before or len(before) != len(after):
        yield Change("", f"0x{was:x}", f"0x{now:x}", slot=text)
        return
    for (name, old), (_, new) in zip(before, after, strict=True):
        if old != new:
            try:
                grown = f"{int(new) - int(old):+}"
            except ValueError:
                grown = ""
            yield Change(name, old, new, grown, text)
