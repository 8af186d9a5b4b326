"""`devchain logs`: what a node in the background has to say."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.format import printable
from devchain.cli.node_records import NameOrPort, chosen

Follow = Annotated[
    bool, typer.Option("--follow", "-f", help="Go on with new lines until the node ends.")
]
Lines = Annotated[
    int | None,
    typer.Option("--lines", "-n", help="Only the last so many lines.", min=0, metavar="N"),
]


def logs(node: NameOrPort = None, follow: Follow = False, lines: Lines = None) -> None:
    """Print the log of a node that runs in the background, or did.

    Examples:
      devchain logs
      devchain logs test-4444 --lines 20 --follow
    """
    from devchain.cli.log_file import read
    from devchain.cli.node_records import lives, state_directory

    folder = state_directory()
    path = _path(folder, node)
    for line in read(path, lambda: follow and lives(folder, path.stem), lines):
        sys.stdout.write(printable(line.rstrip("\n")) + "\n")
        output.flush()


def _path(folder: Path, wanted: str | None) -> Path:
    """The log of a node that runs, else of one of that name that has ended."""
    from devchain.cli.node_records import NAME, log_path, running

    if wanted is not None and NAME.fullmatch(wanted) and log_path(folder, wanted).is_file():
        return log_path(folder, wanted)
    return log_path(folder, chosen(running(folder), wanted).name)
