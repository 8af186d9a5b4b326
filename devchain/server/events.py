"""Events of the activity log: requests, blocks, transactions mined or queued."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    # Only for type hints: the command line prints events without loading the chain.
    from devchain.chain.block import Block, Receipt
    from devchain.client.views import BlockView, Notation, TransactionView
    from devchain.node import Node
    from devchain.node.call_explainer import CallExplainer
    from devchain.rpc.dispatch import Call
    from devchain.source.source_trace import SourceTrace
    from devchain.types import Address, Hash32

INVALID_PARAMS = -32602
SENDING_METHODS = frozenset({"eth_sendTransaction", "eth_sendRawTransaction"})
"""After these the log says so if the transaction has to wait for others."""

LONG_HEX = re.compile("[0-9a-fA-F]{41,}")  # may be a key, or part of one, pasted by mistake
HIDDEN_HEX = "<hex, not logged>"

LOCATING_SECONDS = 0.1  # for places of failures of one request, executed once more


@dataclass(frozen=True, slots=True)
class RequestServed:
    """One JSON-RPC call was answered; `code` is the error's, None when it succeeded.

    `via` is `ws`, `ipc`, or the name of `devchain watch` for its polls. `printed` is what a
    contract wrote with `console.log`. `mines` says whether transactions were mined, `reverts`
    whether blocks were removed. `places` are the places of a failure in the source, the innermost
    first.
    """

    network: str
    method: str
    seconds: float
    code: int | None = None
    message: str = ""
    via: str = ""
    printed: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    hint: str = ""
    mines: bool = False
    reverts: bool = False


@dataclass(frozen=True, slots=True)
class RequestRefused:
    """A request was refused before it reached JSON-RPC, with an HTTP status."""

    status: int
    message: str


@dataclass(frozen=True, slots=True)
class BlockMined:
    """A block was appended to a chain."""

    network: str
    block: BlockView


@dataclass(frozen=True, slots=True)
class TransactionMined:
    """A transaction was mined; `emitted` are its events in words.

    `printed` is what it wrote with `console.log`, `printed_at` where in the source each line was.
    `hint` is about its failure, or about a new contract.
    """

    network: str
    transaction: TransactionView
    emitted: tuple[str, ...] = ()
    printed: tuple[str, ...] = ()
    printed_at: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class TransactionQueued:
    """A transaction was sent that waits for those of lower nonces; `next_nonce` is the first."""

    network: str
    hash: Hash32
    sender: Address
    nonce: int
    next_nonce: int


Result = TypeVar("Result")
Event = RequestServed | RequestRefused | BlockMined | TransactionMined | TransactionQueued
Observer = Callable[[Event], None]


class _Search:
    """Finds places in sources, as many as `LOCATING_SECONDS` allow."""

    def __init__(self, explainer: CallExplainer) -> None:
        self._explainer = explainer
        self._left = LOCATING_SECONDS

    def find(self, locate: Callable[[], SourceTrace | None]) -> tuple[tuple[str, ...], str]:
        trace = self.run(locate)
        return (tuple(trace.places), trace.hint) if trace else ((), "")

    def run(self, locate: Callable[[], Result | None]) -> Result | None:
        from devchain.node.call_explainer import load_tracing

        load_tracing()
        start = time.thread_time()
        found = self._explainer.find_in_time(locate, self._left) if self._left > 0 else None
        self._left -= time.thread_time() - start
        return found


class ActivityReporter:
    """Reports a node's calls, and what was mined, to an observer, if there is one.

    It has a cursor over the node's chain. When the chain was reverted behind the cursor, or the
    node has another one, the cursor moves to the head without events.
    """

    def __init__(self, network: str, node: Node, observe: Observer | None = None) -> None:
        self._network = network
        self._node = node
        self._observe = observe
        self._last_failure = node.explainer.last_failure
        self._skip()

    def report_call(self, call: Call, via: str = "") -> None:
        if self._observe is None:
            return
        reverts = self._chain is not self._node.chain or self._was_reverted()
        if self._chain is not self._node.chain:
            self._skip()
        if self._node.logging_enabled:
            event = self._located(self._served(call, via))
            if self._has_new_transactions():
                event = replace(event, mines=True)
            elif reverts:
                event = replace(event, reverts=True)
            self._observe(event)
            tx = self._node.mempool.newest
            if tx and call.method in SENDING_METHODS and call.code is None and not event.mines:
                awaited = self._node.mempool.pending_nonce(tx.sender)
                if awaited < tx.nonce:
                    args = (tx.hash, tx.sender, tx.nonce, awaited)
                    self._observe(TransactionQueued(self._network, *args))
        self.report_blocks()

    def report_blocks(self) -> None:
        if self._observe is None:
            return
        if self._chain is not self._node.chain or not self._node.logging_enabled:
            self._skip()
            return
        for event in self.new_events():
            self._observe(event)

    # Calls

    def _served(self, call: Call, via: str) -> RequestServed:
        # The message about a wrong `personal_*` parameter may quote a secret.
        hidden = call.method.startswith("personal_") and call.code == INVALID_PARAMS
        message = "invalid params (not logged)" if hidden else concealed(call.message)
        name, printed = concealed(call.method), _console_lines(self._node.printed)
        self._node.printed = []  # what calls have written since the last report
        return RequestServed(self._network, name, call.seconds, call.code, message, via, printed)

    def _located(self, event: RequestServed) -> RequestServed:
        explainer = self._node.explainer
        error, before = explainer.last_failure, self._last_failure
        self._last_failure = error
        if event.code is None or error is None or error is before or error.transaction_hash:
            return event
        places, hint = _Search(explainer).find(partial(explainer.error_source, error))
        return replace(event, places=places, hint=hint)

    # Blocks

    def new_events(self) -> Iterator[Event]:
        """The blocks mined since they were last read, each followed by its transactions."""
        numbers, chain = self._new_numbers(), self._chain
        self._skip()
        if not numbers:
            return
        from devchain.server.node_views import block_view, notation_of

        notation, search = notation_of(self._node), _Search(self._node.explainer)
        for number in numbers:
            block = chain.block(number)
            yield BlockMined(self._network, block_view(block, notation))
            for receipt in block.receipts:
                yield self._transaction_event(block, receipt, notation, search)

    def _transaction_event(
        self, block: Block, receipt: Receipt, notation: Notation, search: _Search
    ) -> TransactionMined:
        from devchain.server.node_views import mined_view

        explainer, tx_hash = self._node.explainer, receipt.transaction.hash
        called = explainer.call_title(block, receipt)
        if receipt.contract_address and not called and explainer.refresh_artifacts():
            called = explainer.call_title(block, receipt)  # compiled since the start
        view = mined_view(block, receipt, notation, called, explainer.failure_text(receipt))
        emitted, printed = explainer.event_titles(block, receipt), _console_lines(receipt.printed)
        event = TransactionMined(self._network, view, tuple(emitted), printed)
        if receipt.failure:
            places, hint = search.find(partial(explainer.transaction_source, tx_hash))
            event = replace(event, places=places, hint=hint)
        elif receipt.contract_address:
            code = self._chain.state_at(block.number).code(receipt.contract_address)
            event = replace(event, hint=explainer.missing_opcodes(code))
        if printed:
            lines = search.run(partial(explainer.console_lines, tx_hash)) or []
            if tuple(text for text, _ in lines) == printed:
                event = replace(event, printed_at=tuple(place for _, place in lines))
        return event

    def _has_new_transactions(self) -> bool:
        # In the first or the last of the new blocks.
        numbers = self._new_numbers()
        ends = (*numbers[:1], *numbers[-1:])
        return any(self._chain.block(number).transactions for number in ends)

    def _was_reverted(self) -> bool:
        head = self._chain.head
        newest = head if head.number <= self._number else self._chain.block(self._number)
        return newest.hash != self._hash

    def _new_numbers(self) -> range:
        newest = self._number if self._was_reverted() else self._chain.height
        return range(self._number + 1, newest + 1)

    def _skip(self) -> None:
        self._chain = self._node.chain
        self._number, self._hash = self._chain.head.number, self._chain.head.hash


def _console_lines(calls: Iterable[bytes]) -> tuple[str, ...]:
    if not calls:
        return ()
    from devchain.contracts.console import console_message

    lines = (console_message(call) for call in calls)
    return tuple(line for line in lines if line is not None)


def refused_event(status: int, message: str) -> RequestRefused:
    """A refused HTTP request as an event; the message may quote text of the client."""
    return RequestRefused(status, concealed(message))


def concealed(text: str) -> str:
    return LONG_HEX.sub(HIDDEN_HEX, text)
