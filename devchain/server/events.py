"""Events of the activity log: requests served and refused, blocks and transactions mined."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devchain.types import Address, Hash32

if TYPE_CHECKING:
    # Only for type hints: the command line prints events without loading the chain.
    from devchain.chain.block import Block, Receipt
    from devchain.chain.chain import Chain
    from devchain.node import Node
    from devchain.node.call_explainer import CallExplainer
    from devchain.rpc.dispatch import Call

INVALID_PARAMS = -32602
LONG_HEX = re.compile("[0-9a-fA-F]{41,}")
"""Longer than an address: it may be a private key, or part of one, pasted by mistake."""

HIDDEN_HEX = "<hex, not logged>"


@dataclass(frozen=True, slots=True)
class RequestServed:
    """One JSON-RPC call was answered; `code` is the error's, None when it succeeded.

    `via` is the transport when not HTTP: `ws` or `ipc`; `printed` is what a contract that was
    called wrote with `console.log`.
    """

    network: str
    method: str
    seconds: float
    code: int | None = None
    message: str = ""
    via: str = ""
    printed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestRefused:
    """A request was refused before it reached JSON-RPC, with an HTTP status."""

    status: int
    message: str


@dataclass(frozen=True, slots=True)
class BlockMined:
    """A block was appended to a chain."""

    network: str
    number: int
    hash: Hash32
    timestamp: int
    transactions: int
    gas_used: int
    gas_limit: int


@dataclass(frozen=True, slots=True)
class TransactionMined:
    """A transaction was mined; `failure` is the decoded reason when it did not succeed.

    `called` names contract, function and arguments where artifacts have them, `emitted` its events;
    `printed` is what it wrote with `console.log`.
    """

    network: str
    hash: Hash32
    block_number: int
    sender: Address
    to: Address | None
    created: Address | None
    value: int
    gas: int
    gas_used: int
    succeeded: bool
    failure: str | None
    called: str = ""
    emitted: tuple[str, ...] = ()
    printed: tuple[str, ...] = ()


Event = RequestServed | RequestRefused | BlockMined | TransactionMined
Observer = Callable[[Event], None]


class MinedCursor:
    """A cursor over a chain: the events of blocks and transactions mined since the last read.

    When the chain was reverted behind the cursor, it moves to the head without events.
    """

    def __init__(self, network: str, chain: Chain, explainer: CallExplainer) -> None:
        self._network = network
        self._chain = chain
        self._explainer = explainer
        self._move_to_head()

    def new_events(self) -> Iterator[Event]:
        """The new blocks, each followed by its transactions; oldest first."""
        numbers = self._new_numbers()
        self._move_to_head()
        for number in numbers:
            yield from self._block_events(self._chain.block(number))

    def _block_events(self, block: Block) -> Iterator[Event]:
        yield block_event(self._network, block)
        for receipt in block.receipts:
            yield transaction_event(self._network, block, receipt, self._explainer)

    def _new_numbers(self) -> Iterable[int]:
        head = self._chain.head
        if head.number <= self._number or self._chain.block(self._number).hash != self._hash:
            return ()
        return range(self._number + 1, head.number + 1)

    def _move_to_head(self) -> None:
        head = self._chain.head
        self._number, self._hash = head.number, head.hash


class ActivityReporter:
    """Reports a node's calls, and what was mined, to an observer, if there is one."""

    def __init__(self, network: str, node: Node, observe: Observer | None) -> None:
        self._network = network
        self._node = node
        self._mined = MinedCursor(network, node.chain, node.explainer)
        self._observe = observe

    def report_call(self, call: Call, via: str = "") -> None:
        """Report a call, then what it mined."""
        if self._observe is None:
            return
        if self._node.logging_enabled:
            self._observe(request_event(self._network, call, via, self._printed()))
        self.report_blocks()

    def _printed(self) -> tuple[str, ...]:
        """What calls have written to the console since the last report."""
        calls, self._node.printed = self._node.printed, []
        return _console_lines(calls) if calls else ()

    def report_blocks(self) -> None:
        """Report what was mined since the last report."""
        if self._observe is None:
            return
        for event in self._mined.new_events():
            if self._node.logging_enabled:
                self._observe(event)


def request_event(
    network: str, call: Call, via: str = "", printed: tuple[str, ...] = ()
) -> RequestServed:
    """A call as an event; the message about a wrong `personal_*` parameter may quote a secret."""
    hidden = call.method.startswith("personal_") and call.code == INVALID_PARAMS
    message = "invalid params (not logged)" if hidden else concealed(call.message)
    name = concealed(call.method)
    return RequestServed(network, name, call.seconds, call.code, message, via, printed)


def _console_lines(calls: Iterable[bytes]) -> tuple[str, ...]:
    """The lines that calls of `console.log` print, from their call data."""
    from devchain.contracts.console import console_message

    lines = (console_message(each) for each in calls)
    return tuple(each for each in lines if each is not None)


def refused_event(status: int, message: str) -> RequestRefused:
    """A refused HTTP request as an event; the message may quote text of the client."""
    return RequestRefused(status, concealed(message))


def concealed(text: str) -> str:
    """Text of a client, without hex that may be a private key."""
    return LONG_HEX.sub(HIDDEN_HEX, text)


def block_event(network: str, block: Block) -> BlockMined:
    """A block as an event."""
    return BlockMined(
        network=network,
        number=block.number,
        hash=block.hash,
        timestamp=block.timestamp,
        transactions=len(block.transactions),
        gas_used=block.gas_used,
        gas_limit=block.gas_limit,
    )


def transaction_event(
    network: str, block: Block, receipt: Receipt, explainer: CallExplainer
) -> TransactionMined:
    """A mined transaction as an event."""
    tx = receipt.transaction
    return TransactionMined(
        network=network,
        hash=tx.hash,
        block_number=block.number,
        sender=tx.sender,
        to=tx.to,
        created=receipt.contract_address,
        value=tx.value,
        gas=tx.gas,
        gas_used=receipt.gas_used,
        succeeded=receipt.succeeded,
        failure=explainer.failure_text(receipt),
        called=explainer.call_title(block, receipt),
        emitted=tuple(explainer.event_titles(block, receipt)),
        printed=_console_lines(receipt.printed) if receipt.printed else (),
    )
