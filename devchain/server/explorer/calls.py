"""The page of a transaction's calls: a tree with values, gas of each call, and what reverted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from devchain.contracts.source_trace import SourceFrame
from devchain.errors import TransactionNotFound
from devchain.node import Node
from devchain.server.explorer.page import Page, Query
from devchain.server.explorer.transaction_pages import find, raw_when_mined
from devchain.server.explorer.values import Party, Reader, long_text
from devchain.text import amount, printable
from devchain.tracing.call_tree import EVENT, FAILURE, INTERNAL, CallWords
from devchain.tracing.frames import Frame

MAX_CALLS = 500
MAX_DEPTH = 60
"""What a tree shows; the JSON has all of it."""

RAW = raw_when_mined("debug_traceTransaction", {"tracer": "callTracer"})
KINDS = {EVENT: "event", INTERNAL: "in", FAILURE: "failure"}


@dataclass(slots=True)
class CallNode:
    """A call or creation, and what is below it in the order it happened.

    `gas` is with the calls below it, `own_gas` without; `share` of the whole transaction's, in
    percent. `failure` is empty for one that succeeded; `is_origin` where the failure arose.
    """

    kind: str
    to: Party
    call: str
    value: str
    output: str
    gas: int
    own_gas: int
    share: float
    failure: str = ""
    is_origin: bool = False
    place: str = ""
    hint: str = ""
    excerpt: Sequence[str] = ()
    below: list[CallNode | Line] = field(default_factory=list)
    hidden: int = 0

    @property
    def is_call(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Line:
    """An event, an internal function or a line of the console among the calls."""

    kind: str
    text: str
    place: str = ""

    @property
    def is_call(self) -> bool:
        return False


def calls(node: Node, query: Query, tx_hash: str) -> Page:
    """The calls of a mined transaction, by executing it once more."""
    reader = Reader(node)
    tx, mined = find(node, tx_hash)
    top = node.explainer.transaction_frames(tx.hash) if mined else None
    if mined is None or top is None:
        raise TransactionNotFound("a transaction has calls once it is mined")
    row = reader.transaction(tx, *mined)
    tree = CallTree(reader, top)
    return Page(
        "calls.html",
        f"Calls of {row.short}",
        {
            "tx": row,
            "top": tree.top,
            "count": tree.count,
            "hidden": tree.hidden,
            "live_hash": row.block_hash,
        },
        raw=RAW(node, query, tx_hash),
        section="transactions",
    )


class CallTree:
    """The tree of a transaction's frames; `hidden` counts those that are too many or too deep."""

    def __init__(self, reader: Reader, top: Frame) -> None:
        self._reader = reader
        self._words = CallWords.of(reader.names, reader.coin, top)
        self._whole = max(top.gas_used, 1)
        self.count = 0
        self.hidden = 0
        self.top = self._node(top, 0)

    def _node(self, frame: Frame, depth: int) -> CallNode:
        self.count += 1
        words, reader = self._words, self._reader
        source = words.source(frame)
        own = frame.gas_used - sum(each.gas_used for each in frame.calls)
        node = CallNode(
            kind=frame.kind.lower(),
            to=reader.party(frame.to),
            call=long_text(words.title(frame)),
            value=amount(frame.transferred, reader.coin) if frame.transferred else "",
            output=long_text(words.output(frame)),
            gas=frame.gas_used,
            own_gas=max(own, 0),
            share=100 * frame.gas_used / self._whole,
            place=long_text(source[0].place_and_note) if source else "",
        )
        if frame.error:
            node.failure = long_text(words.failure(frame))
            node.is_origin = words.is_origin(frame)
            hint, excerpt = words.explanation(frame, source)
            node.hint, node.excerpt = printable(hint), excerpt
        if depth < MAX_DEPTH:
            node.below = list(self._below(frame, source[1:], depth + 1))
        node.hidden = sum(1 for _ in frame.walk()) - 1 if depth >= MAX_DEPTH else 0
        self.hidden += node.hidden
        return node

    def _below(
        self, frame: Frame, internal: Sequence[SourceFrame], depth: int
    ) -> Iterator[CallNode | Line]:
        for kind, each in self._words.below(frame, list(internal)):
            if isinstance(each, Frame):
                printed = self._words.console(each)
                if printed is not None:
                    yield Line("console", long_text(printed[0]), long_text(printed[1]))
                elif self.count >= MAX_CALLS:
                    self.hidden += sum(1 for _ in each.walk())
                else:
                    yield self._node(each, depth)
            else:
                yield Line(KINDS.get(kind, ""), long_text(each[0]), long_text(each[1]))
