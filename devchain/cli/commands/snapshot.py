"""`devchain snapshot` and `devchain revert`."""

from __future__ import annotations

from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.options import DEFAULT_URL, Url, connect, quantity
from devchain.client.views import number
from devchain.errors import SnapshotNotFound

SnapshotId = Annotated[
    str, typer.Argument(help="The id that `devchain snapshot` printed.", metavar="ID")
]


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
    """Revert the chain to a snapshot; it can be used again, later snapshots are removed.

    Example:
      devchain revert 0x1
    """
    node = connect(url)
    identifier = quantity(snapshot_id)
    if not node.call("evm_revert", identifier):
        raise SnapshotNotFound(f"no snapshot {snapshot_id} on this node")
    head = number(node.call("eth_blockNumber")) or 0
    output.write_line(f"Reverted to snapshot {identifier}; the head is block {head:,}.")
