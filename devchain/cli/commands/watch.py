"""`devchain watch`: the chain of a node, live, on a screen or as lines of text or JSON."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.chain_follower import ChainFollower, PatientClient, follow, shown_url
from devchain.cli.contract_calls import Artifacts
from devchain.cli.options import DEFAULT_URL, Interval, Url, connect, parse_account, parse_whole
from devchain.cli.view_rows import (
    failure_pieces,
    reader_of,
    status_piece,
    transaction_pieces,
    warn_of_checksums,
)
from devchain.client.http import Client, HttpClient
from devchain.client.views import BlockView, Json, TransactionView
from devchain.errors import ConfigError, ConnectionFailed
from devchain.text import WATCH, plural

MAX_COUNT = 10_000
CHUNK = 100
"""Blocks that are read at once as lines; those after them follow at once."""

Accounts = Annotated[
    list[str] | None,
    typer.Option(
        "--account",
        help="Account to show, address or number; repeatable. Default: the node's.",
        parser=parse_account,
        metavar="ADDRESS",
    ),
]
Count = Annotated[
    int,
    typer.Option(
        "--count",
        help="Begin N blocks ago.",
        parser=parse_whole(0, MAX_COUNT),
        metavar="N",
    ),
]
Once = Annotated[bool, typer.Option("--once", help="Print the newest blocks as lines and end.")]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print each block and transaction as a line of JSON.")
]


def watch(
    accounts: Accounts = None,
    count: Count = 20,
    interval: Interval = 0.5,
    artifacts: Artifacts = None,
    once: Once = False,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Watch new blocks and transactions, with names and reasons.

    Works on any node, and waits for one that has stopped. Keys: ↑ ↓ select a row, Enter opens it,
    d debugs a transaction with the sources of --artifacts, q ends. Each block and transaction is a
    line where the output is no terminal, or without `pip install "devchain[tui]"`.

    Examples:
      devchain watch
      devchain watch --url http://127.0.0.1:8545 | grep failed
    """
    if artifacts is not None and not artifacts.exists():
        raise ConfigError(f"there are no artifacts at {artifacts}: no such file or folder")
    node = connect(url)
    if isinstance(node, HttpClient):
        node.headers["User-Agent"] = WATCH
    with suppress(ConnectionFailed):  # the node is waited for
        warn_of_checksums(node, *(accounts or []))
    shown = shown_url(url)
    # Textual draws on stderr.
    is_terminal = sys.stdout.isatty() and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    if as_json or once or not is_terminal or find_spec("textual") is None:
        if is_terminal and not (as_json or once):
            output.write_note('for a screen instead of lines: pip install "devchain[tui]"')
        lines = EventLines(node, count=count, as_json=as_json)
        if once:
            lines.write_new()
        else:
            follow(lines.write_new, shown, interval)
        return
    from devchain.cli.tui.watch import run_watch
    from devchain.cli.tui.watcher import Watcher

    run_watch(Watcher(node, accounts or (), count=count), url, shown, interval, artifacts)


class EventLines:
    """Writes what is mined and taken back to stdout, every block and transaction of it."""

    def __init__(self, node: Client, *, count: int, as_json: bool) -> None:
        """Begin with the newest `count` blocks."""
        patient = PatientClient(node)
        self._follower = ChainFollower(patient, count=count, limit=CHUNK, skips=False)
        self._reader = reader_of(patient)
        self._as_json = as_json
        self._unread: list[BlockView] = []

    def write_new(self) -> None:
        """Write what is new, up to the head of the chain."""
        while True:
            update = self._follower.poll()
            for block in reversed(update.removed):
                if block in self._unread:
                    self._unread.remove(block)
                elif self._as_json:
                    _write_object({"event": "removed", "number": block.number, "hash": block.hash})
                else:
                    number = (f"block {block.number:,}", output.TITLE)
                    output.write_line(number, f" {block.hash} ", ("taken back", output.BAD))
            self._unread += update.added
            # Written at once or not at all: the node may be gone before its transactions are read.
            read = [
                [self._reader.explained(tx) for tx in self._reader.transactions(block.transactions)]
                for block in self._unread
            ]
            for block, transactions in zip(self._unread, read, strict=True):
                self._write_block(block, transactions)
            self._unread = []
            sys.stdout.flush()
            if not self._follower.is_behind:
                return

    def _write_block(self, block: BlockView, transactions: list[TransactionView]) -> None:
        if self._as_json:
            _write_object(block.event())
            for tx in transactions:
                _write_object({**tx.event(), "places": [tx.place] if tx.place else []})
            return
        output.write_line(
            (f"block {block.number:,}", output.TITLE),
            f" {block.hash} · {block.date} · {plural(len(block.transactions), 'transaction')} · "
            f"gas {block.gas_text}",
        )
        for tx in transactions:
            pieces = [*transaction_pieces(tx), " · " if tx.reason else "", *failure_pieces(tx)]
            output.write_line("  ", status_piece(tx.status), f" {tx.hash} · ", *pieces)


def _write_object(event: Json) -> None:
    sys.stdout.write(json.dumps(event).replace("\x7f", "\\u007f") + "\n")
