"""The page of a transaction's calls: a tree with values, gas of each call, and what reverted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from devchain.client.views import AccountView
from devchain.errors import TransactionNotFound
from devchain.server.explorer.page import Page, RawCall
from devchain.server.explorer.reader import Reader
from devchain.server.explorer.transaction_pages import page_of
from devchain.source.call_tree import EVENT, FAILURE, INTERNAL, CallWords
from devchain.source.source_trace import SourceFrame
from devchain.tracing.frames import Frame

MAX_CALLS = 500
MAX_DEPTH = 60
"""What a tree shows; the JSON has all of it."""

KINDS = {EVENT: "event", INTERNAL: "in", FAILURE: "failure"}


@dataclass(slots=True)
class CallNode:
    """A call or creation, and what is below it in the order it happened.

    `gas` is with the calls below it, `own_gas` without; `share` of the whole transaction's, in
    percent. `failure` is empty for one that succeeded; `is_origin` where the failure arose.
    """

    kind: str
    to: AccountView
    call: str
    value: str
    output: str
    gas: int
    own_gas: int
    share: float
    place: str
    failure: str = ""
    is_origin: bool = False
    hint: str = ""
    excerpt: Sequence[str] = ()
    below: list[CallNode | Line] = field(default_factory=list)
    hidden: int = 0
    is_call: bool = True


@dataclass(frozen=True, slots=True)
class Line:
    """An event, an internal function or a line of the console among the calls."""

    kind: str
    text: str
    place: str = ""
    is_call: bool = False


def raw(reader: Reader, tx_hash: str) -> list[RawCall]:  # noqa: ARG001  # as all of them
    """The calls by geth's tracer."""
    return [("debug_traceTransaction", [tx_hash, {"tracer": "callTracer"}])]


def calls(reader: Reader, tx_hash: str) -> Page:
    """The calls of a mined transaction, by executing it once more."""
    tx, receipt = reader.find_mined(tx_hash)
    top = reader.node.explainer.transaction_frames(receipt.transaction.hash)
    if top is None:
        raise TransactionNotFound("a revert has taken this transaction back")
    tree = CallTree(reader, top)
    values: dict[str, object] = {"top": tree.top, "count": tree.count, "hidden": tree.hidden}
    return page_of("calls.html", "Calls of", tx, values, raw(reader, tx.hash))


class CallTree:
    """The tree of a transaction's frames; `hidden` counts those that are too many or too deep."""

    def __init__(self, reader: Reader, top: Frame) -> None:
        self._reader = reader
        self._words = CallWords.of(reader.names, reader.notation.coin, top)
        self._whole = max(top.gas_used, 1)
        self.count = 0
        self.hidden = 0
        self.top = self._node(top, 0)

    def _node(self, frame: Frame, depth: int) -> CallNode:
        self.count += 1
        words, reader = self._words, self._reader
        source = words.source(frame)
        own = frame.gas_used - sum(call.gas_used for call in frame.calls)
        node = CallNode(
            kind=frame.kind.lower(),
            to=reader.account(frame.to),
            call=words.title(frame),
            value=reader.amount(frame.transferred) if frame.transferred else "",
            output=words.output(frame),
            gas=frame.gas_used,
            own_gas=max(own, 0),
            share=100 * frame.gas_used / self._whole,
            place=source[0].place_and_note if source else "",
        )
        if frame.error:
            node.failure = words.failure(frame)
            node.is_origin = words.is_origin(frame)
            node.hint, node.excerpt = words.explanation(frame, source)
        if depth < MAX_DEPTH:
            node.below = list(self._below(frame, source[1:], depth + 1))
        else:
            node.hidden = sum(1 for _ in frame.walk()) - 1
            self.hidden += node.hidden
        return node

    def _below(
        self, frame: Frame, internal: Sequence[SourceFrame], depth: int
    ) -> Iterator[CallNode | Line]:
        for kind, item in self._words.below(frame, list(internal)):
            if not isinstance(item, Frame):
                yield Line(KINDS.get(kind, ""), *item)
            elif (printed := self._words.console(item)) is not None:
                yield Line("console", *printed)
            elif self.count >= MAX_CALLS:
                self.hidden += sum(1 for _ in item.walk())
            else:
                yield self._node(item, depth)
