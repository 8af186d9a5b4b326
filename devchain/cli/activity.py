"""The activity log of a running node: events of the server as readable lines."""

from __future__ import annotations

import json
import logging
import os
import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol, TextIO

from devchain.cli.format import decimal, printable
from devchain.cli.output import has_colors
from devchain.networks import RBTC
from devchain.server.events import (
    BlockMined,
    Event,
    RequestRefused,
    RequestServed,
    TransactionMined,
    concealed,
)
from devchain.types import checksum

LONGEST_TEXT = 300
LONGEST_METHOD = 60
MINIMUM_WIDTH = 20
NAMELESS = "(invalid request)"
METHOD_WIDTH = 34
SMALLEST_RBTC = 10**12
"""Amounts below this many wei are shown in wei."""

RED, GREEN, DIM, BOLD = "31", "32", "2", "1"


class Log(Protocol):
    """Where events of the server go."""

    def __call__(self, event: Event) -> None:
        """Write one event."""

    def problem(self, text: str) -> None:
        """Write what went wrong inside devchain, over several lines if need be."""

    def close(self) -> None:
        """Write what is still held back."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """What a stream can do: show colors, rewrite its last line, at which width."""

    colors: bool
    rewrites: bool
    columns: int | None = None

    @classmethod
    def of(cls, stream: TextIO) -> Terminal:
        """What the stream can do; `NO_COLOR` and `TERM=dumb` are respected."""
        rewrites = stream.isatty() and os.environ.get("TERM") != "dumb"
        columns = shutil.get_terminal_size().columns if stream.isatty() else None
        return cls(has_colors(stream), rewrites, columns)

    def paint(self, text: str, style: str) -> str:
        """The text in an ANSI style, if colors are shown."""
        return f"\x1b[{style}m{text}\x1b[0m" if self.colors else text


@dataclass(frozen=True, slots=True)
class Run:
    """Events that look alike and follow each other: told as one line with a count."""

    key: tuple[str, ...]
    first: Event
    last: Event
    count: int = 1


class TextLog:
    """Readable lines; polls that repeat are folded into one with a count.

    On a terminal that line is rewritten; elsewhere the count follows when the run has ended.
    """

    def __init__(
        self, stream: TextIO, chain_ids: Mapping[str, int], terminal: Terminal | None = None
    ) -> None:
        """Write to a stream; `chain_ids` are those of the networks served."""
        self._stream = stream
        self._chain_ids = chain_ids
        self._terminal = terminal or Terminal.of(stream)
        self._run: Run | None = None
        self._width = 0

    def __call__(self, event: Event) -> None:
        """Write one event, or count it to the run before."""
        key = fold_key(event)
        if key and self._run and key == self._run.key:
            self._run = Run(key, self._run.first, event, self._run.count + 1)
            if self._terminal.rewrites:
                self._rewrite(self._folded(self._run))
            return
        lines = list(self._lines(event))
        if lines:
            self._end_run()
            self._begin(key, event, lines)

    def problem(self, text: str) -> None:
        """Write what went wrong inside devchain."""
        self._end_run()
        for line in text.splitlines():
            self._put(self._terminal.paint(plain(line, None), RED) + "\n")

    def close(self) -> None:
        """End a run of folded lines."""
        self._end_run()

    def _begin(self, key: tuple[str, ...] | None, event: Event, lines: list[str]) -> None:
        text = "\n".join(lines)
        if key is None:
            self._put(text + "\n")
            return
        self._run = Run(key, event, event)
        if self._terminal.rewrites:
            self._rewrite(text)
        else:
            self._put(text + "\n")

    def _end_run(self) -> None:
        ended, self._run = self._run, None
        if ended and self._terminal.rewrites:
            self._put("\n")
            self._width = 0
        elif ended and ended.count > 1:
            self._put(self._folded(ended) + "\n")

    def _rewrite(self, text: str) -> None:
        self._put("\r" + text + " " * (self._width - len(text)))
        self._width = len(text)

    def _put(self, text: str) -> None:
        put(self._stream, text)

    def _folded(self, run: Run) -> str:
        if isinstance(run.first, BlockMined) and isinstance(run.last, BlockMined):
            numbers = f"{run.first.number} to {run.last.number}"
            return self._named(run.last.network, f"Blocks {numbers} mined, empty")
        return next(self._lines(run.last, run.count))

    def _lines(self, event: Event, count: int = 1) -> Iterator[str]:
        match event:
            case RequestServed():
                yield from self._request(event, count)
                yield from self._printed(event.printed)
            case RequestRefused():
                for line in self._broken(f"HTTP {event.status} {plain(event.message)}"):
                    yield self._terminal.paint(line, RED)
            case BlockMined(transactions=0):
                yield self._named(event.network, f"Block {event.number} mined, empty")
            case TransactionMined():
                yield from self._transaction(event)

    def _request(self, event: RequestServed, count: int) -> Iterator[str]:
        times = f" ({count}×)" if count > 1 else ""
        name = plain(event.method, LONGEST_METHOD) or NAMELESS
        method = self._named(event.network, f"{name} {event.via}".rstrip())
        padding = " " * (METHOD_WIDTH - len(method) - len(times))
        took = f"{event.seconds * 1000:9.1f} ms"
        line = times + padding + self._terminal.paint(took, DIM)
        if event.code is None:
            yield self._terminal.paint(method, GREEN) + line
            return
        room = max(len(method), METHOD_WIDTH) + len(took)
        first, *rest = self._wrapped(f"{event.code} {plain(event.message)}", room)
        yield f"{self._terminal.paint(method, RED)}{line}{first}"
        yield from rest

    def _wrapped(self, error: str, taken: int) -> Iterator[str]:
        """An error beside what is on its line; where a terminal has no room, below it."""
        columns = self._terminal.columns
        if columns is None or taken + 2 + len(error) <= columns:
            yield "  " + self._terminal.paint(error, RED)
            return
        yield ""
        for line in self._broken(error, "  "):
            yield self._terminal.paint(line, RED)

    def _broken(self, text: str, indent: str = "") -> list[str]:
        """The text as lines: broken between words on a terminal, else one."""
        columns = self._terminal.columns
        if columns is None:
            return [indent + text]
        return textwrap.wrap(
            text, max(columns, MINIMUM_WIDTH), initial_indent=indent, subsequent_indent="  "
        )

    def _transaction(self, event: TransactionMined) -> Iterator[str]:
        used = f"gas {event.gas_used:,} of {event.gas:,}"
        where = f"block {event.block_number}, {used}"
        yield self._detail("Mined", self._named(event.network, where), BOLD)
        yield self._detail("Hash", "0x" + event.hash.hex())
        yield self._detail("From", self._address(event.network, event.sender))
        yield self._recipient(event)
        if event.called:
            yield self._detail("Called", plain(event.called))
        if event.value:
            yield self._detail("Value", amount(event.value))
        if not event.succeeded:
            yield self._detail("Failed", plain(event.failure or "no reason given"), RED)
        yield from self._printed(event.printed)

    def _printed(self, lines: Sequence[str]) -> Iterator[str]:
        for each in lines:
            yield self._detail("Console", plain(each))

    def _recipient(self, event: TransactionMined) -> str:
        if event.to is not None:
            return self._detail("To", self._address(event.network, event.to))
        if event.created is None or not event.succeeded:
            return self._detail("To", "a new contract")
        return self._detail("Created", self._address(event.network, event.created), GREEN)

    def _detail(self, label: str, text: str, style: str = "") -> str:
        return f"  {label:<9}{self._terminal.paint(text, style) if style else text}"

    def _address(self, network: str, address: bytes) -> str:
        return checksum(address, self._chain_ids[network])

    def _named(self, network: str, text: str) -> str:
        return f"{network}: {text}" if len(self._chain_ids) > 1 else text


class ProblemHandler(logging.Handler):
    """Brings warnings and tracebacks of Python's logging into the activity log."""

    def __init__(self, log: Log) -> None:
        """Take warnings and errors."""
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record; an exception may quote what a client sent."""
        self._log.problem(concealed(self.format(record)))


def fold_key(event: Event) -> tuple[str, ...] | None:
    """What successive events must share to be folded; None for those always told singly."""
    match event:
        case RequestServed(code=None, printed=()):
            return ("request", event.network, event.method, event.via)
        case BlockMined(transactions=0):
            return ("block", event.network)
    return None


def cut(text: str, limit: int | None = LONGEST_TEXT) -> str:
    """The text, shortened to a number of characters."""
    return text if limit is None or len(text) <= limit else text[: limit - 3] + "..."


def plain(text: str, limit: int | None = LONGEST_TEXT) -> str:
    """Text from a client made safe for a terminal: control characters escaped, length bounded."""
    return printable(cut(text, limit))


def amount(wei: int) -> str:
    """An amount for people: RBTC, or wei when it is tiny."""
    if wei < SMALLEST_RBTC:
        return f"{wei:,} wei"
    return f"{decimal(wei, RBTC)} RBTC"


def put(stream: TextIO, text: str) -> None:
    """Write text at once; a reader that has gone away does not stop the node."""
    with suppress(OSError, ValueError):
        stream.write(text)
        stream.flush()


class JsonLog:
    """One JSON object a line; nothing is folded."""

    def __init__(self, stream: TextIO, now: Callable[[], int]) -> None:
        """Write to a stream; `now` gives the wall clock's Unix time."""
        self._stream = stream
        self._now = now

    def __call__(self, event: Event) -> None:
        """Write one event."""
        self._put(as_json(event))

    def problem(self, text: str) -> None:
        """Write what went wrong inside devchain."""
        self._put({"event": "problem", "message": text})

    def close(self) -> None:
        """Do nothing: nothing is held back."""

    def _put(self, entry: dict[str, object]) -> None:
        time = datetime.fromtimestamp(self._now(), UTC).isoformat().replace("+00:00", "Z")
        put(self._stream, json.dumps({"time": time, **entry}) + "\n")


def as_json(event: Event) -> dict[str, object]:
    """An event as a JSON object; hashes and addresses as the node's answers give them."""
    match event:
        case RequestServed():
            return _request_json(event)
        case RequestRefused():
            return {"event": "refused", "status": event.status, "message": cut(event.message)}
        case BlockMined():
            return _block_json(event)
        case TransactionMined():
            return _transaction_json(event)


def _request_json(event: RequestServed) -> dict[str, object]:
    entry: dict[str, object] = {
        "event": "request",
        "network": event.network,
        "method": cut(event.method, LONGEST_METHOD),
        "ms": round(event.seconds * 1000, 3),
    }
    if event.via:
        entry["via"] = event.via
    if event.printed:
        entry["console"] = [cut(each) for each in event.printed]
    if event.code is not None:
        entry["error"] = {"code": event.code, "message": cut(event.message)}
    return entry


def _block_json(event: BlockMined) -> dict[str, object]:
    return {
        "event": "block",
        "network": event.network,
        "number": event.number,
        "hash": _hex(event.hash),
        "timestamp": event.timestamp,
        "transactions": event.transactions,
        "gasUsed": event.gas_used,
        "gasLimit": event.gas_limit,
    }


def _transaction_json(event: TransactionMined) -> dict[str, object]:
    return {
        "event": "transaction",
        "network": event.network,
        "hash": _hex(event.hash),
        "blockNumber": event.block_number,
        "from": _hex(event.sender),
        "to": _hex(event.to),
        "contractAddress": _hex(event.created),
        "value": hex(event.value),
        "gas": event.gas,
        "gasUsed": event.gas_used,
        "succeeded": event.succeeded,
        "failure": cut(event.failure) if event.failure else None,
        "called": cut(event.called) or None,
        "console": [cut(each) for each in event.printed],
    }


def _hex(value: bytes | None) -> str | None:
    return None if value is None else "0x" + value.hex()
