"""`devchain mine`, `snapshot` and `revert`: change the chain."""

from __future__ import annotations

from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.options import DEFAULT_URL, Url, connect, parse_whole, quantity
from devchain.client.http import Client, HttpClient, all_results
from devchain.client.views import number
from devchain.errors import RpcFailure, SnapshotNotFound
from devchain.text import plural

CHUNK = 1_000
"""Blocks of a request, which it has time for."""

MAX_BATCH = 50
"""Calls that every node takes in one batch: the Rootstock node's limit."""
INVALID_PARAMS = -32602

Count = Annotated[int, typer.Argument(help="How many blocks.", metavar="N", parser=parse_whole(1))]
Timestamp = Annotated[
    int | None,
    typer.Option(
        "--timestamp", help="Time of the first block.", metavar="SECONDS", parser=parse_whole()
    ),
]
SnapshotId = Annotated[
    str, typer.Argument(help="The id that `devchain snapshot` printed.", metavar="ID")
]


def mine(blocks: Count = 1, timestamp: Timestamp = None, url: Url = DEFAULT_URL) -> None:
    """Mine blocks and print the number of the newest.

    Ctrl-C ends it; what is mined stays.

    Examples:
      devchain mine
      devchain mine 1000
    """
    node = connect(url)
    before = _head(node)
    try:
        for done in range(0, blocks, CHUNK):
            _mine(node, min(CHUNK, blocks - done), None if done else timestamp)
    except (KeyboardInterrupt, RpcFailure) as end:
        if isinstance(node, HttpClient):
            node.close()
        if blocks > CHUNK:
            event = "Failed" if isinstance(end, RpcFailure) else "Interrupted"
            head = _head(node)
            mined = f"mined {head - before:,} of {plural(blocks, 'block')}"
            output.write_note(f"{event}: {mined}; the head is block {head:,}.")
        raise
    output.write_line(f"Mined {plural(blocks, 'block')}; the head is block {_head(node):,}.")


def _head(node: Client) -> int:
    return number(node.call("eth_blockNumber")) or 0


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
            all_results(node, [("evm_mine",)] * min(MAX_BATCH, blocks - done))


def snapshot(url: Url = DEFAULT_URL) -> None:
    """Take a snapshot of the chain and print its id.

    Examples:
      devchain snapshot
      devchain revert 0x1
    """
    snapshot_id = str(connect(url).call("evm_snapshot"))
    output.write_line(snapshot_id)
    output.write_note(f"revert to it with `devchain revert {snapshot_id}`")


def revert(snapshot_id: SnapshotId, url: Url = DEFAULT_URL) -> None:
    """Revert the chain to a snapshot, which can be used again.

    Later snapshots are removed.

    Example:
      devchain revert 0x1
    """
    node = connect(url)
    identifier = quantity(snapshot_id)
    if not node.call("evm_revert", identifier):
        raise SnapshotNotFound(f"no snapshot {snapshot_id} on this node")
    head = number(node.call("eth_blockNumber")) or 0
    output.write_line(f"Reverted to snapshot {identifier}; the head is block {head:,}.")
