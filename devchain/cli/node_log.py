"""The log of a running node: requests, blocks and transactions as text or as JSON lines."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from typing import TextIO

from devchain.cli.output import has_colors, wrap
from devchain.client.views import NEW_CONTRACT
from devchain.evm.revert_reasons import NO_REASON
from devchain.server import events
from devchain.text import WATCH, plural, printable, shorten

MAX_TEXT = 600
"""Characters of a text in the log."""

MAX_METHOD_NAME = 60
NAMING_METHODS = frozenset(
    {
        "devchain_describeCalls",
        "devchain_describeLogs",
        "devchain_findArtifacts",
        "devchain_getBuildInfo",
        "devchain_getTime",
        "devchain_nameContracts",
    }
)
"""What devchain's own commands ask for each address, event and time that they show.

The text has these requests only where they fail; the JSON lines have all.
"""
INVALID_REQUEST = "(invalid request)"
METHOD_WIDTH = 34
LABEL_WIDTH = 9
DURATION_WIDTH = 12

CLEAR_LINE = "\r\x1b[K"
ANSI = re.compile(r"\x1b\[[0-9;]*m")
RED, GREEN, DIM, BOLD = "31", "32", "2", "1"


@dataclass(frozen=True, slots=True)
class Terminal:
    """What a stream supports: colors, rewriting its last line, and its width in columns."""

    colors: bool
    can_rewrite: bool
    columns: int | None = None

    @classmethod
    def of(cls, stream: TextIO) -> Terminal:
        """What the stream supports; `NO_COLOR` and `TERM=dumb` are respected."""
        can_rewrite = stream.isatty() and os.environ.get("TERM") != "dumb"
        columns = shutil.get_terminal_size().columns if stream.isatty() else None
        return cls(has_colors(stream), can_rewrite, columns)

    def paint(self, text: str, style: str) -> str:
        """The text in an ANSI style, if colors are shown."""
        return f"\x1b[{style}m{text}\x1b[0m" if self.colors else text


@dataclass(frozen=True, slots=True)
class Run:
    """Similar events, shown as one line: with a count, or with the first and the last block."""

    key: tuple[str, ...]
    first: events.Event
    last: events.Event
    count: int = 1

    def add(self, event: events.Event) -> Run | None:
        """The run with one event more; None if it is of another run."""
        if collapse_key(event) != self.key:
            return None
        if isinstance(event, events.BlockMined) and _number(event) != _number(self.last) + 1:
            return None  # the chain was reverted
        return Run(self.key, self.first, event, self.count + 1)


class TextLog:
    """A log of text lines; repeated requests, and empty blocks, are collapsed to one line.

    There is a run of requests and a run of empty blocks. Neither ends the other, so that a client
    that asks for each block of an interval makes few lines; anything else ends both. On a terminal
    the last line shows both as they grow; elsewhere the line with the count is written at the end
    of a run:

        eth_blockNumber (3×)                    0.1 ms
        Blocks 3 to 7 mined, empty
    """

    def __init__(
        self, stream: TextIO, terminal: Terminal | None = None, *, names_networks: bool = False
    ) -> None:
        """Write to a stream; lines begin with the name of the network if `names_networks`."""
        self._stream = stream
        self._names_networks = names_networks
        self._fixed_terminal = terminal
        self._terminal = terminal or Terminal.of(stream)
        self._runs: list[Run] = []
        self._is_mining = False  # whether the last request mined transactions

    def __call__(self, event: events.Event) -> None:
        """Write one event, or add it to the count of the events before it."""
        if isinstance(event, events.RequestServed) and (
            event.via == WATCH or (event.method in NAMING_METHODS and not event.code)
        ):
            return
        # Its window may have another size now.
        self._terminal = self._fixed_terminal or Terminal.of(self._stream)
        if isinstance(event, events.RequestServed):
            self._is_mining = event.mines
            if event.mines or event.reverts:
                self._end_runs(self._runs)  # it mines what is written below, removes what is above
        for index, run in enumerate(self._runs):
            if longer := run.add(event):
                self._runs[index] = longer
                self._show_status()
                return
        text = "".join(f"{line}\n" for line in self._lines(event))
        key = collapse_key(event)
        if key and text:
            self._end_runs([run for run in self._runs if type(run.first) is type(event)])
            self._runs.append(Run(key, event, event))
            if self._terminal.can_rewrite:
                self._show_status()
                return
        elif text:
            self._end_runs(self._runs)
        self._write(text)

    def write_error(self, text: str) -> None:
        """Write a warning or an error inside devchain; the text may have several lines."""
        self._end_runs(self._runs)
        for line in text.splitlines():
            self._write(self._terminal.paint(plain(line, None), RED) + "\n")

    def close(self) -> None:
        self._end_runs(self._runs)

    def _end_runs(self, ended: Sequence[Run]) -> None:
        if ended and self._terminal.can_rewrite:
            self._write(CLEAR_LINE)
        for run in ended:
            if run.count > 1 or self._terminal.can_rewrite:
                self._write(self._run_line(run) + "\n")
        self._runs = [run for run in self._runs if run not in ended]

    def _show_status(self) -> None:
        if not self._terminal.can_rewrite:
            return
        lines = [self._run_line(run) for run in self._runs]
        status, width = " · ".join(lines), self._terminal.columns
        if width is not None and len(ANSI.sub("", status)) >= width:
            status = lines[-1]
        self._write(CLEAR_LINE + status)

    def _write(self, text: str) -> None:
        # A closed pipe does not stop the node.
        with suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()

    def _run_line(self, run: Run) -> str:
        if isinstance(run.first, events.BlockMined) and run.count > 1:
            numbers = f"{_number(run.first):,} to {_number(run.last):,}"
            return self._prefixed(run.first.network, f"Blocks {numbers} mined, empty")
        return next(self._lines(run.last, run.count))

    def _lines(self, event: events.Event, count: int = 1) -> Iterator[str]:
        match event:
            case events.RequestServed():
                yield from self._request_lines(event, count)
                yield from self._source_lines(event)
                yield from self._console_lines(event.printed)
            case events.RequestRefused():
                for line in self._wrapped(f"HTTP {event.status} {plain(event.message)}"):
                    yield self._terminal.paint(line, RED)
            case events.BlockMined(block=block) if _is_empty(event) or not self._is_mining:
                count = len(block.transactions)  # mined by the interval
                content = plural(count, "transaction") if count else "empty"
                yield self._prefixed(event.network, f"Block {block.number:,} mined, {content}")
            case events.TransactionMined():
                yield from self._transaction_lines(event)
            case events.TransactionQueued():
                nonces = f"nonce {event.nonce:,}, the next is {event.next_nonce:,}"
                yield from self._detail("Queued", self._prefixed(event.network, nonces), BOLD)
                yield from self._detail("Hash", "0x" + event.hash.hex())

    def _request_lines(self, event: events.RequestServed, count: int) -> Iterator[str]:
        times = f" ({count}×)" if count > 1 else ""
        name = plain(event.method, MAX_METHOD_NAME) or INVALID_REQUEST
        method = self._prefixed(event.network, f"{name} {event.via}".rstrip())
        columns = self._terminal.columns
        width = METHOD_WIDTH if columns is None else min(METHOD_WIDTH, columns - DURATION_WIDTH)
        padding = " " * (width - len(method) - len(times))
        duration = f"{event.seconds * 1000:{DURATION_WIDTH - 3}.1f} ms"
        line = times + padding + self._terminal.paint(duration, DIM)
        if event.code is None:
            yield self._terminal.paint(method, GREEN) + line
            return
        error = f"{event.code} {plain(event.message)}"
        line = self._terminal.paint(method, RED) + line
        if columns is None or max(len(method), width) + len(duration) + 2 + len(error) <= columns:
            yield f"{line}  {self._terminal.paint(error, RED)}"
            return
        yield line
        for part in self._wrapped(error, "  "):
            yield self._terminal.paint(part, RED)

    def _wrapped(self, text: str, first: str = "", rest: str = "  ") -> list[str]:
        columns = self._terminal.columns
        return [first + text] if columns is None else wrap(text, columns, first, rest)

    def _transaction_lines(self, event: events.TransactionMined) -> Iterator[str]:
        tx = event.transaction
        where = f"block {tx.block or 0:,}, gas {tx.gas_text}"
        yield from self._detail("Mined", self._prefixed(event.network, where), BOLD)
        yield from self._detail("Hash", tx.hash)
        yield from self._detail("From", tx.sender.address)
        if tx.to is not None:
            yield from self._detail("To", tx.to.address)
        elif tx.created is not None:
            yield from self._detail("Created", tx.created.address, GREEN)
        else:
            yield from self._detail("To", NEW_CONTRACT)
        if tx.called:
            yield from self._detail("Called", plain(tx.called))
        if tx.value:
            yield from self._detail("Value", tx.value_text)
        for emitted in event.emitted:
            yield from self._detail("Event", plain(emitted))
        if tx.failed:
            yield from self._detail("Failed", plain(tx.reason or NO_REASON), RED)
        yield from self._source_lines(event)
        yield from self._console_lines(event.printed, event.printed_at)

    def _source_lines(self, event: events.RequestServed | events.TransactionMined) -> Iterator[str]:
        if event.hint:
            yield from self._detail("Hint", plain(event.hint))
        for position, place in enumerate(event.places):
            yield from self._detail("" if position else "At", plain(place))

    def _console_lines(self, lines: Sequence[str], places: Sequence[str] = ()) -> Iterator[str]:
        for line, place in zip_longest(lines, places):
            yield from self._detail("Console", plain(f"{line}  {place}" if place else line))

    def _detail(self, label: str, text: str, style: str = "") -> Iterator[str]:
        lead = f"  {label:<{LABEL_WIDTH}}"
        for line in self._wrapped(text, lead, " " * len(lead)):
            shown = line[len(lead) :]
            yield line[: len(lead)] + (self._terminal.paint(shown, style) if style else shown)

    def _prefixed(self, network: str, text: str) -> str:
        return f"{network}: {text}" if self._names_networks else text


def _number(event: events.Event) -> int:
    return event.block.number if isinstance(event, events.BlockMined) else -1


def _is_empty(event: events.Event) -> bool:
    return isinstance(event, events.BlockMined) and not event.block.transactions


def collapse_key(event: events.Event) -> tuple[str, ...] | None:
    """Events with equal keys are collapsed to one line; None: never collapsed."""
    match event:
        case events.RequestServed(code=None, printed=()):
            return ("request", event.network, event.method, event.via)
        case events.BlockMined() if _is_empty(event):
            return ("block", event.network)
    return None


def plain(text: str, limit: int | None = MAX_TEXT) -> str:
    """Text from a client made safe for a terminal: control characters escaped, length bounded."""
    return printable(shorten(text, limit or len(text)))


class JsonLog:
    """A log of one JSON object a line; no events are collapsed."""

    def __init__(self, stream: TextIO, now: Callable[[], int]) -> None:
        self._stream = stream
        self._now = now

    def __call__(self, event: events.Event) -> None:
        self._write_entry(as_json(event))

    def write_error(self, text: str) -> None:
        self._write_entry({"event": "problem", "message": text})

    def close(self) -> None:
        pass

    def _write_entry(self, entry: dict[str, object]) -> None:
        time = datetime.fromtimestamp(self._now(), UTC).isoformat().replace("+00:00", "Z")
        with suppress(OSError, ValueError):
            self._stream.write(json.dumps({"time": time, **entry}) + "\n")
            self._stream.flush()


NodeLog = TextLog | JsonLog


class LoggingHandler(logging.Handler):
    """Writes warnings and errors of Python's logging to the node's log."""

    def __init__(self, log: NodeLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record, with secrets removed: an exception may quote what a client sent."""
        self._log.write_error(events.concealed(self.format(record)))


def as_json(event: events.Event) -> dict[str, object]:
    """An event as a JSON object; hashes and addresses as in JSON-RPC results."""
    match event:
        case events.RequestServed():
            error = {"code": event.code, "message": shorten(event.message, MAX_TEXT)}
            return {
                "event": "request",
                "network": event.network,
                "method": shorten(event.method, MAX_METHOD_NAME),
                "ms": round(event.seconds * 1000, 3),
                **({"via": event.via} if event.via else {}),
                **({"console": _shortened(event.printed)} if event.printed else {}),
                **_source_json(event),
                **({} if event.code is None else {"error": error}),
            }
        case events.RequestRefused():
            message = shorten(event.message, MAX_TEXT)
            return {"event": "refused", "status": event.status, "message": message}
        case events.BlockMined():
            return {**event.block.event(), "network": event.network}
        case events.TransactionMined():
            entry: dict[str, object] = event.transaction.event()
            for name in ("failure", "called"):
                entry[name] = entry[name] and shorten(str(entry[name]), MAX_TEXT)
            return {
                **entry,
                "network": event.network,
                "events": _shortened(event.emitted),
                "console": _shortened(event.printed),
                **({"consolePlaces": list(event.printed_at)} if any(event.printed_at) else {}),
                **_source_json(event),
            }
        case events.TransactionQueued():
            return {
                "event": "queued",
                "network": event.network,
                "hash": _hex(event.hash),
                "from": _hex(event.sender),
                "nonce": event.nonce,
                "nextNonce": event.next_nonce,
            }


def _shortened(texts: Sequence[str]) -> list[str]:
    return [shorten(text, MAX_TEXT) for text in texts]


def _source_json(event: events.RequestServed | events.TransactionMined) -> dict[str, object]:
    source = {"hint": shorten(event.hint, MAX_TEXT), "places": list(event.places)}
    return {name: value for name, value in source.items() if value}


def _hex(value: bytes | None) -> str | None:
    return None if value is None else "0x" + value.hex()
