"""`devchain mine`: mine blocks."""

from __future__ import annotations

from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.format import number
from devchain.cli.options import DEFAULT_URL, Url, connect, parse_whole
from devchain.client.http import Client
from devchain.errors import RpcFailure
from devchain.text import plural

# Blocks per request: enough requests for a progress bar, few enough to be fast.
MIN_CHUNK, MAX_CHUNK = 100, 1_000
CHUNKS = 100

MAX_BATCH = 50
"""Calls that every node takes in one batch: the Rootstock node's limit."""
INVALID_PARAMS = -32602

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

    Examples:
      devchain mine
      devchain mine 1000
    """
    node = connect(url)
    with output.progress_bar("blocks") as bar:
        task = bar.add_task("", total=blocks) if bar and blocks > MIN_CHUNK else None
        for done, chunk in _chunks(blocks):
            _mine(node, chunk, None if done else timestamp)
            if bar and task is not None:
                bar.update(task, completed=done + chunk)
    head = number(node.call("eth_blockNumber")) or 0
    output.write_line(f"Mined {plural(blocks, 'block')}; the head is block {head:,}.")


def _chunks(blocks: int) -> list[tuple[int, int]]:
    """For each request: the number of blocks mined before it, and the number it mines."""
    chunk = min(max(MIN_CHUNK, -(-blocks // CHUNKS)), MAX_CHUNK)
    return [(done, min(chunk, blocks - done)) for done in range(0, blocks, chunk)]


def _mine(node: Client, blocks: int, timestamp: int | None) -> None:
    """Mine in one request; a single block with the parameters that every node supports.

    A node whose `evm_mine` takes no parameters gets batches of calls without.
    """
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
