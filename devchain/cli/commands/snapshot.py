"""`devchain snapshot`: remember the chain as it is."""

from __future__ import annotations

from devchain.cli import output
from devchain.cli.options import DEFAULT_URL, Url, connect


def snapshot(url: Url = DEFAULT_URL) -> None:
    """Remember the chain as it is now and print the snapshot's id.

    Examples:
      devchain snapshot
      devchain revert 0x1
    """
    found = str(connect(url).call("evm_snapshot"))
    output.write(found)
    output.note(f"go back to it with `devchain revert {found}`")
