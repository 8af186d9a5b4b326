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
from typing import Protocol, TextIO

from devchain.cli.output import has_colors
from devchain.cli.wrapping import wrap
from devchain.client.views import NEW_CONTRACT
from devchain.evm.revert_reasons import NO_REASON
from devchain.server.events import (
    BlockMined,
    Event,
    ForkRead,
    RequestRefused,
    RequestServed,
    TransactionMined,
    TransactionQueued,
    concealed,
)
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

ANSI = re.compile(r"\x1b\[[0-9;]*m")
RED, GREEN, DIM, BOLD = "31", "32", "2", "1"


class NodeLog(Protocol):
    """A log that events of the server are written to."""

    def __call__(self, event: Event) -> None:
        """Write one event."""

    def write_error(self, text: str) -> None:
        """Write a warning or an error inside devchain; the text may have several lines."""

    def close(self) -> None:
        """Write what is still buffered."""


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
    first: Event
    last: Event
    count: int = 1

    def add(self, event: Event) -> Run | None:
        """The run with one event more; None if it is of another run."""
        if collapse_key(event) != self.key:
            return None
        if isinstance(event, BlockMined) and _number(event) != _number(self.last) + 1:
            return None  # the chain was reverted
        return Run(self.key, self.first, event, self.count + 1)


class TextLog:
    """A log of text lines; repeated requests, and empty blocks, are collapsed to one line.

    There is a run of requests and a run of empty blocks. Neither ends the other, so that a client
    that asks for each block of an interval makes few lines; anything else ends both. On a terminal
    their lines are rewritten, elsewhere the line with the count is written when the run ends:

        eth_blockNumber (3×)                    0.1 ms
        Blocks 3 to 7 mined, empty
    """

    def __init__(
        self,
        stream: TextIO,
        terminal: Terminal | None = None,
        *,
        names_networks: bool = False,
    ) -> None:
        """Write to a stream; lines begin with the name of the network if `names_networks`."""
        self._stream = stream
        self._names_networks = names_networks
        self._has_fixed_terminal = terminal is not None
        self._terminal = terminal or Terminal.of(stream)
        self._runs: list[Run] = []
        self._shown: list[str] = []  # their lines on a terminal
        self._is_mining = False  # whether the last request mined transactions

    def __call__(self, event: Event) -> None:
        """Write one event, or add it to the count of the events before it."""
        if isinstance(event, RequestServed) and _is_background(event):
            return
        if not self._has_fixed_terminal:
            self._terminal = Terminal.of(self._stream)  # its window may have another size now
        if isinstance(event, RequestServed):
            self._is_mining = event.mines
            if event.mines or event.reverts:
                self._end_runs()  # what it has mined is written below it, what it took off above
        for index, run in enumerate(self._runs):
            if longer := run.add(event):
                self._runs[index] = longer
                if self._terminal.can_rewrite:
                    self._rewrite()
                return
        text = "\n".join(self._lines(event))
        if not text:
            return
        if key := collapse_key(event):
            self._begin_run(Run(key, event, event), text)
        else:
            self._end_runs()
            self._write(text + "\n")

    def write_error(self, text: str) -> None:
        """Write a warning or an error inside devchain."""
        self._end_runs()
        for line in text.splitlines():
            self._write(self._terminal.paint(plain(line, None), RED) + "\n")

    def close(self) -> None:
        self._end_runs()

    def _begin_run(self, run: Run, text: str) -> None:
        ended = [known for known in self._runs if type(known.first) is type(run.first)]
        kept = [known for known in self._runs if known not in ended]
        self._runs = [*kept, run]
        if not self._terminal.can_rewrite:
            self._write_counts(ended)
            self._write(text + "\n")
        elif len(self._shown) > 1:
            self._rewrite(ended)
        else:
            self._write("\n\r" if self._shown else "\r")
            self._write(text)
            self._shown = [*map(self._run_line, kept), text]

    def _end_runs(self) -> None:
        ended, self._runs = self._runs, []
        if not self._terminal.can_rewrite:
            self._write_counts(ended)
        elif ended:
            self._write("\n")
            self._shown = []

    def _write_counts(self, runs: Sequence[Run]) -> None:
        for run in runs:
            if run.count > 1:
                self._write(self._run_line(run) + "\n")

    def _rewrite(self, ended: Sequence[Run] = ()) -> None:
        lines = [self._run_line(run) for run in self._runs]
        if len(self._shown) == len(lines) == 1:
            self._write("\r" + lines[0] + " " * (len(self._shown[0]) - len(lines[0])))
        else:
            above = sum(map(self._rows, self._shown)) - 1
            shown = [*map(self._run_line, ended), *lines]
            self._write("\r" + "\x1b[A" * above + "\x1b[J" + "\n".join(shown))
        self._shown = lines

    def _rows(self, line: str) -> int:
        columns = self._terminal.columns
        return max(1, -(-len(ANSI.sub("", line)) // columns)) if columns else 1

    def _write(self, text: str) -> None:
        write_now(self._stream, text)

    def _run_line(self, run: Run) -> str:
        if isinstance(run.first, BlockMined) and run.count > 1:
            numbers = f"{_number(run.first):,} to {_number(run.last):,}"
            return self._prefixed(run.first.network, f"Blocks {numbers} mined, empty")
        return next(self._lines(run.last, run.count))

    def _lines(self, event: Event, count: int = 1) -> Iterator[str]:
        match event:
            case RequestServed():
                yield from self._request_lines(event, count)
                yield from self._source_lines(event)
                yield from self._console_lines(event.printed)
            case RequestRefused():
                for line in self._wrapped(f"HTTP {event.status} {plain(event.message)}"):
                    yield self._terminal.paint(line, RED)
            case BlockMined(block=block) if _is_empty(event) or not self._is_mining:
                count = len(block.transactions)  # mined by the interval
                content = plural(count, "transaction") if count else "empty"
                yield self._prefixed(event.network, f"Block {block.number:,} mined, {content}")
            case TransactionMined():
                yield from self._transaction_lines(event)
            case TransactionQueued():
                nonces = f"nonce {event.nonce:,}, the next is {event.next_nonce:,}"
                yield from self._detail("Queued", self._prefixed(event.network, nonces), BOLD)
                yield from self._detail("Hash", "0x" + event.hash.hex())
            case ForkRead():
                yield from self._wrapped(self._prefixed(event.network, _fork_text(event)))

    def _request_lines(self, event: RequestServed, count: int) -> Iterator[str]:
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
        used = max(len(method), width) + len(duration)
        first, *rest = self._error_lines(f"{event.code} {plain(event.message)}", used)
        yield f"{self._terminal.paint(method, RED)}{line}{first}"
        yield from rest

    def _error_lines(self, error: str, used: int) -> Iterator[str]:
        columns = self._terminal.columns
        if columns is None or used + 2 + len(error) <= columns:
            yield "  " + self._terminal.paint(error, RED)
            return
        yield ""
        for line in self._wrapped(error, "  "):
            yield self._terminal.paint(line, RED)

    def _wrapped(self, text: str, first: str = "", rest: str = "  ") -> list[str]:
        columns = self._terminal.columns
        return [first + text] if columns is None else wrap(text, columns, first, rest)

    def _transaction_lines(self, event: TransactionMined) -> Iterator[str]:
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

    def _source_lines(self, event: RequestServed | TransactionMined) -> Iterator[str]:
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


class LoggingHandler(logging.Handler):
    """Writes warnings and errors of Python's logging to the node's log."""

    def __init__(self, log: NodeLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record, with secrets removed: an exception may quote what a client sent."""
        self._log.write_error(concealed(self.format(record)))


def _fork_text(event: ForkRead) -> str:
    where = f" of {event.url}" if event.url else ", offline"
    return (
        f"Fork of chain {event.chain_id} at block {event.number:,} {_hex(event.hash)}{where}: "
        f"{plural(event.requests, 'upstream request')} in {plural(event.round_trips, 'round trip')}"
        f", {plural(event.hits, 'cache hit')}"
    )


def _number(event: Event) -> int:
    return event.block.number if isinstance(event, BlockMined) else -1


def _is_empty(event: Event) -> bool:
    return isinstance(event, BlockMined) and not event.block.transactions


def _is_background(event: RequestServed) -> bool:
    return event.via == WATCH or (event.method in NAMING_METHODS and not event.code)


def collapse_key(event: Event) -> tuple[str, ...] | None:
    """Events with equal keys are collapsed to one line; None: never collapsed."""
    match event:
        case RequestServed(code=None, printed=()):
            return ("request", event.network, event.method, event.via)
        case BlockMined() if _is_empty(event):
            return ("block", event.network)
    return None


def plain(text: str, limit: int | None = MAX_TEXT) -> str:
    """Text from a client made safe for a terminal: control characters escaped, length bounded."""
    return printable(shorten(text, limit or len(text)))


def write_now(stream: TextIO, text: str) -> None:
    """Write text without buffering; a closed pipe does not stop the node."""
    with suppress(OSError, ValueError):
        stream.write(text)
        stream.flush()


class JsonLog:
    """A log of one JSON object a line; no events are collapsed."""

    def __init__(self, stream: TextIO, now: Callable[[], int]) -> None:
        """Write to a stream; `now` gives the wall clock's Unix time."""
        self._stream = stream
        self._now = now

    def __call__(self, event: Event) -> None:
        self._write_entry(as_json(event))

    def write_error(self, text: str) -> None:
        """Write a warning or an error inside devchain."""
        self._write_entry({"event": "problem", "message": text})

    def close(self) -> None:
        """Do nothing: every event is written at once."""

    def _write_entry(self, entry: dict[str, object]) -> None:
        time = datetime.fromtimestamp(self._now(), UTC).isoformat().replace("+00:00", "Z")
        write_now(self._stream, json.dumps({"time": time, **entry}) + "\n")


def as_json(event: Event) -> dict[str, object]:
    """An event as a JSON object; hashes and addresses as in JSON-RPC results."""
    match event:
        case RequestServed():
            return _request_json(event)
        case RequestRefused():
            message = shorten(event.message, MAX_TEXT)
            return {"event": "refused", "status": event.status, "message": message}
        case BlockMined():
            return {**event.block.event(), "network": event.network}
        case TransactionMined():
            return _transaction_json(event)
        case TransactionQueued():
            return {
                "event": "queued",
                "network": event.network,
                "hash": _hex(event.hash),
                "from": _hex(event.sender),
                "nonce": event.nonce,
                "nextNonce": event.next_nonce,
            }
        case ForkRead():
            return {
                "event": "fork",
                "network": event.network,
                "url": event.url,
                "chainId": event.chain_id,
                "blockNumber": event.number,
                "blockHash": _hex(event.hash),
                "upstreamRequests": event.requests,
                "upstreamRoundTrips": event.round_trips,
                "cacheHits": event.hits,
            }


def _request_json(event: RequestServed) -> dict[str, object]:
    entry: dict[str, object] = {
        "event": "request",
        "network": event.network,
        "method": shorten(event.method, MAX_METHOD_NAME),
        "ms": round(event.seconds * 1000, 3),
    }
    if event.via:
        entry["via"] = event.via
    if event.printed:
        entry["console"] = [shorten(line, MAX_TEXT) for line in event.printed]
    entry |= _source_json(event)
    if event.code is not None:
        entry["error"] = {"code": event.code, "message": shorten(event.message, MAX_TEXT)}
    return entry


def _transaction_json(event: TransactionMined) -> dict[str, object]:
    entry = event.transaction.event()
    for name in ("failure", "called"):
        entry[name] = entry[name] and shorten(entry[name], MAX_TEXT)
    return {
        **entry,
        "network": event.network,
        "events": [shorten(emitted, MAX_TEXT) for emitted in event.emitted],
        "console": [shorten(line, MAX_TEXT) for line in event.printed],
        **({"consolePlaces": list(event.printed_at)} if any(event.printed_at) else {}),
        **_source_json(event),
    }


def _source_json(event: RequestServed | TransactionMined) -> dict[str, object]:
    source = {"hint": shorten(event.hint, MAX_TEXT), "places": list(event.places)}
    return {name: value for name, value in source.items() if value}


def _hex(value: bytes | None) -> str | None:
    return None if value is None else "0x" + value.hex()
