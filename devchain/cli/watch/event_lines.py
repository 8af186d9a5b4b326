"""`devchain watch` without a terminal: a line for each block and transaction, as text or JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from devchain.cli import output
from devchain.cli.chain_views import status_piece
from devchain.cli.output import BAD, FAINT, NAME, TITLE, Piece
from devchain.cli.watch.chain_follower import Block, ChainFollower
from devchain.cli.watch.watcher import PatientClient, TransactionReader, WatchedTransaction
from devchain.client.http import Client
from devchain.client.views import FAILED, Json, Notation
from devchain.errors import ConnectionFailed, DevchainError
from devchain.text import moment, plural

CHUNK = 100
"""Blocks that are read at once; those after them follow at once, so that none is missed."""


class EventLines:
    """Writes what is mined and taken back to stdout, every block and transaction of it."""

    def __init__(self, node: Client, *, count: int, as_json: bool) -> None:
        """Begin with the newest `count` blocks."""
        self._node = PatientClient(node)
        self._follower = ChainFollower(self._node, count=count, limit=CHUNK, skips=False)
        self._reader = TransactionReader(self._node)
        self._write: type[_TextLines | _JsonLines] = _JsonLines if as_json else _TextLines
        self._unread: list[Block] = []

    def write_new(self) -> None:
        """Write what is new, up to the head of the chain."""
        while True:
            update = self._follower.poll()
            for each in reversed(update.removed):
                if each in self._unread:
                    self._unread.remove(each)
                else:
                    self._write.removed(each)
            self._unread += update.added
            # Written at once or not at all: the node may be gone before its transactions are read.
            found, notation = self._reader.of_blocks(self._unread)
            explained = [tuple(map(self._explained, part)) for part in found]
            for block, transactions in zip(self._unread, explained, strict=True):
                self._write.block(block, transactions, notation)
            self._unread = []
            sys.stdout.flush()
            if not self._follower.is_behind:
                return

    def forget_node(self) -> None:
        """Ask for every method again: another node may answer now."""
        self._node.forget()

    def _explained(self, tx: WatchedTransaction) -> WatchedTransaction:
        return self._reader.explained(tx) if tx.status == FAILED else tx


def follow(
    lines: EventLines, url: str, interval: float, *, sleep: Callable[[float], None] = time.sleep
) -> None:
    """Write what is new until Ctrl-C; raises `DevchainError` only if the node refuses at first.

    A node that does not answer is waited for, with a note on stderr.
    """
    problem, has_begun = "", False
    while True:
        found = ""
        try:
            lines.write_new()
            has_begun = True
        except ConnectionFailed:
            found = f"waiting for node at {url}"
            lines.forget_node()
        except DevchainError as error:
            if not has_begun:
                raise
            found = str(error)
        if found != problem:
            output.write_note(found or f"the node at {url} answers")
            problem = found
        sleep(interval)


class _TextLines:
    """Lines of text."""

    @staticmethod
    def removed(block: Block) -> None:
        output.write_line(
            (f"block {block.number:,}", TITLE), f" {block.hash} ", ("taken back", BAD)
        )

    @staticmethod
    def block(block: Block, transactions: Sequence[WatchedTransaction], notation: Notation) -> None:
        output.write_line(
            (f"block {block.number:,}", TITLE),
            f" {block.hash} · {moment(block.timestamp)} · "
            f"{plural(len(block.transactions), 'transaction')} · "
            f"gas {block.gas_used:,} of {block.gas_limit:,}",
        )
        for each in transactions:
            output.write_line(*_transaction_pieces(each, notation))


def _transaction_pieces(tx: WatchedTransaction, notation: Notation) -> Iterator[Piece]:
    yield "  "
    yield status_piece(tx.status)
    yield f" {tx.hash} · "
    yield tx.sender, NAME
    yield " → "
    if tx.called:
        yield tx.called
    elif tx.to is None:
        yield "a new contract"
    else:
        yield tx.to, NAME
        if tx.contract:
            yield f" ({tx.contract})"
        if len(tx.selector) > len("0x"):
            yield f" {tx.selector}"
    if tx.created is not None:
        yield f" at {tx.created}"
    if tx.value:
        yield f" · {notation.amount(tx.value)}"
    if tx.gas_used is not None:
        yield f" · gas {tx.gas_used:,}", FAINT
    if tx.reason:
        yield f" · {tx.reason}", BAD
    if tx.place:
        yield f" · {tx.place}", FAINT


class _JsonLines:
    """JSON objects, one a line, with the members that they have in the log of a node."""

    @staticmethod
    def removed(block: Block) -> None:
        _write_object({"event": "removed", "number": block.number, "hash": block.hash})

    @staticmethod
    def block(block: Block, transactions: Sequence[WatchedTransaction], _: Notation) -> None:
        _write_object(
            {
                "event": "block",
                "number": block.number,
                "hash": block.hash,
                "timestamp": block.timestamp,
                "transactions": len(block.transactions),
                "gasUsed": block.gas_used,
                "gasLimit": block.gas_limit,
            }
        )
        for tx in transactions:
            _write_object(_transaction_json(tx, block))


def _transaction_json(tx: WatchedTransaction, block: Block) -> Json:
    return {
        "event": "transaction",
        "hash": tx.hash,
        "blockNumber": block.number,
        "from": tx.sender.lower(),
        "to": tx.to and tx.to.lower(),
        "contractAddress": tx.created and tx.created.lower(),
        "value": hex(tx.value),
        "gas": tx.gas,
        "gasUsed": tx.gas_used,
        "succeeded": tx.status != FAILED,
        "failure": tx.reason,
        "called": tx.called or None,
        "places": [tx.place] if tx.place else [],
    }


def _write_object(found: Json) -> None:
    sys.stdout.write(json.dumps(found).replace("\x7f", "\\u007f") + "\n")
