"""`devchain mine`: mine blocks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.options import DEFAULT_URL, Url, connect, parse_whole
from devchain.client.http import Client, HttpClient
from devchain.client.views import number
from devchain.errors import RpcFailure
from devchain.text import plural, span

# Blocks per request: enough requests for a progress bar, few enough to be fast.
MIN_CHUNK, MAX_CHUNK = 100, 1_000
CHUNKS = 100

MAX_BATCH = 50
"""Calls that every node takes in one batch: the Rootstock node's limit."""
INVALID_PARAMS = -32602
POLL_SECONDS, MAX_POLLS = 0.05, 20
LONG_SECONDS = 10
"""What takes longer is announced."""

Count = Annotated[int, typer.Argument(help="How many blocks.", metavar="N", parser=parse_whole(1))]
Timestamp = Annotated[
    int | None,
    typer.Option(
        "--timestamp",
        help="Unix time of the first block.",
        metavar="SECONDS",
        parser=parse_whole(),
    ),
]


def mine(blocks: Count = 1, timestamp: Timestamp = None, url: Url = DEFAULT_URL) -> None:
    """Mine one or several blocks of the pending transactions and print the new head.

    Ctrl-C ends it; what is mined stays.

    Examples:
      devchain mine
      devchain mine 1000
    """
    node = connect(url)
    before = _head(node)
    try:
        _mine_all(node, blocks, timestamp)
    except KeyboardInterrupt:
        if isinstance(node, HttpClient):
            node.close()
        _note_mined("Interrupted", before, _settled_head(node), blocks)
        raise
    except RpcFailure:
        if blocks > MIN_CHUNK:
            _note_mined("Failed", before, _head(node), blocks)
        raise
    output.write_line(f"Mined {plural(blocks, 'block')}; the head is block {_head(node):,}.")


def _note_mined(event: str, before: int, head: int, blocks: int) -> None:
    mined = f"mined {head - before:,} of {plural(blocks, 'block')}"
    output.write_note(f"{event}: {mined}; the head is block {head:,}.")


def _head(node: Client) -> int:
    return number(node.call("eth_blockNumber")) or 0


def _settled_head(node: Client) -> int:
    head = _head(node)
    for _ in range(MAX_POLLS):
        time.sleep(POLL_SECONDS)
        before, head = head, _head(node)
        if head == before:
            break
    return head


def _mine_all(node: Client, blocks: int, timestamp: int | None) -> None:
    started = time.monotonic()
    with output.progress_bar("blocks") as bar:
        task = bar.add_task("", total=blocks) if bar and blocks > MIN_CHUNK else None
        for done, chunk in _chunks(blocks):
            _mine(node, chunk, None if done else timestamp)
            if not done:
                seconds = (time.monotonic() - started) * blocks / chunk
                if seconds >= LONG_SECONDS:
                    output.write_note(
                        f"{blocks:,} blocks will take about {span(round(seconds))}: "
                        "Ctrl-C ends it, what is mined stays"
                    )
            if bar and task is not None:
                bar.update(task, completed=done + chunk)


def _chunks(blocks: int) -> Iterator[tuple[int, int]]:
    chunk = min(max(MIN_CHUNK, -(-blocks // CHUNKS)), MAX_CHUNK)
    for done in range(0, blocks, chunk):
        yield done, min(chunk, blocks - done)


def _mine(node: Client, blocks: int, timestamp: int | None) -> None:
    # A node whose `evm_mine` takes no parameters gets batches of calls without.
    if blocks == 1:
        node.call("evm_mine", *([] if timestamp is None else [timestamp]))
        return
    request = {"blocks": blocks}
    try:
        node.call("evm_mine", request if timestamp is None else {**request, "timestamp": timestamp})
    except RpcFailure as failure:
        if failure.code != INVALID_PARAMS or timestamp is not None:
            raise
        for done in range(0, blocks, MAX_BATCH):
            for result in node.batch([("evm_mine",)] * min(MAX_BATCH, blocks - done)):
                if isinstance(result, RpcFailure):
                    raise result from None
