"""`devchain revert`: go back to a snapshot."""

from __future__ import annotations

from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.format import number
from devchain.cli.options import DEFAULT_URL, Url, connect, quantity
from devchain.errors import SnapshotNotFound

SnapshotId = Annotated[str, typer.Argument(help="What `devchain snapshot` printed.", metavar="ID")]


def revert(snapshot_id: SnapshotId, url: Url = DEFAULT_URL) -> None:
    """Go back to a snapshot; later snapshots are gone, this one stays.

    Example:
      devchain revert 0x1
    """
    node = connect(url)
    wanted = quantity(snapshot_id)
    if not node.call("evm_revert", wanted):
        msg = f"no snapshot {wanted} on this node"
        raise SnapshotNotFound(msg)
    head = number(node.call("eth_blockNumber"))
    output.write(f"Back at snapshot {wanted}; the head is block {head}.")
