"""`devchain watch` without a terminal: a line for each block and transaction, as text or JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator

from devchain.cli import output
from devchain.cli.chain_views import reader_of, status_piece
from devchain.cli.output import BAD, FAINT, NAME, TITLE, Piece
from devchain.cli.tui.chain_follower import ChainFollower, PatientClient
from devchain.client.http import Client
from devchain.client.views import BlockView, Json, TransactionView
from devchain.errors import ConnectionFailed, DevchainError
from devchain.text import plural

CHUNK = 100
"""Blocks that are read at once; those after them follow at once, so that none is missed."""


class EventLines:
    """Writes what is mined and taken back to stdout, every block and transaction of it."""

    def __init__(self, node: Client, *, count: int, as_json: bool) -> None:
        """Begin with the newest `count` blocks."""
        self.node = PatientClient(node)
        self._follower = ChainFollower(self.node, count=count, limit=CHUNK, skips=False)
        self._reader = reader_of(self.node)
        self._as_json = as_json
        self._unread: list[BlockView] = []

    def write_new(self) -> None:
        """Write what is new, up to the head of the chain."""
        while True:
            update = self._follower.poll()
            for block in reversed(update.removed):
                if block in self._unread:
                    self._unread.remove(block)
                else:
                    self._write_removed(block)
            self._unread += update.added
            # Written at once or not at all: the node may be gone before its transactions are read.
            found = [
                [self._reader.explained(tx) for tx in self._reader.transactions(block.transactions)]
                for block in self._unread
            ]
            for block, transactions in zip(self._unread, found, strict=True):
                self._write_block(block, transactions)
            self._unread = []
            sys.stdout.flush()
            if not self._follower.is_behind:
                return

    def _write_removed(self, block: BlockView) -> None:
        if self._as_json:
            _write_object({"event": "removed", "number": block.number, "hash": block.hash})
        else:
            number = (f"block {block.number:,}", TITLE)
            output.write_line(number, f" {block.hash} ", ("taken back", BAD))

    def _write_block(self, block: BlockView, transactions: list[TransactionView]) -> None:
        if self._as_json:
            _write_object(block.event())
            for tx in transactions:
                _write_object({**tx.event(), "places": [tx.place] if tx.place else []})
            return
        output.write_line(
            (f"block {block.number:,}", TITLE),
            f" {block.hash} · {block.date} · {plural(len(block.transactions), 'transaction')} · "
            f"gas {block.gas_text}",
        )
        for tx in transactions:
            pieces = [*transaction_pieces(tx), " · " if tx.reason else "", *failure_pieces(tx)]
            output.write_line("  ", status_piece(tx.status), f" {tx.hash} · ", *pieces)


def follow(
    lines: EventLines, url: str, interval: float, *, sleep: Callable[[float], None] = time.sleep
) -> None:
    """Write what is new until Ctrl-C; raises `DevchainError` only if the node refuses at first.

    A node that does not answer is waited for, with a note on stderr.
    """
    problem, has_begun = "", False
    while True:
        now = ""
        try:
            lines.write_new()
            has_begun = True
        except ConnectionFailed:
            now = f"waiting for node at {url}"
            lines.node.forget()
        except DevchainError as error:
            if not has_begun:
                raise
            now = str(error)
        if now != problem:
            output.write_note(now or f"the node at {url} answers")
            problem = now
        sleep(interval)


def transaction_pieces(tx: TransactionView) -> Iterator[Piece]:
    """Who called or sent what, with its gas."""
    yield tx.sender.address, NAME
    yield " → "
    if tx.called:
        yield tx.called
    elif tx.to is None:
        yield "a new contract"
    else:
        yield tx.to.address, NAME
        yield f" ({tx.to.name})" if tx.to.name else ""
        yield f" {tx.selector}" if tx.selector else ""
    if tx.created is not None:
        yield f" at {tx.created.address}"
    if tx.value:
        yield f" · {tx.value_text}"
    if tx.gas_used is not None:
        yield f" · gas {tx.gas_used:,}", FAINT


def failure_pieces(tx: TransactionView) -> Iterator[Piece]:
    """Why it failed, and where in the source."""
    if tx.reason:
        yield tx.reason, BAD
    if tx.place:
        yield f" · {tx.place}", FAINT


def _write_object(event: Json) -> None:
    sys.stdout.write(json.dumps(event).replace("\x7f", "\\u007f") + "\n")
