"""`devchain stop`: end nodes that run in the background."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from devchain.cli import output
from devchain.cli.node_records import NameOrPort, chosen
from devchain.errors import DevchainError

if TYPE_CHECKING:
    from devchain.cli.node_records import Record

PATIENCE_SECONDS = 15.0
PAUSE_SECONDS = 0.02

All = Annotated[bool, typer.Option("--all", help="Stop every node.")]


class StillRunning(DevchainError):
    """A node was told to stop, but goes on."""


def stop(node: NameOrPort = None, all_nodes: All = False) -> None:
    """Stop a node that runs in the background; the only one if none is named.

    Examples:
      devchain stop
      devchain stop test-4444
      devchain stop --all
    """
    from devchain.cli.node_records import running, state_directory

    folder = state_directory()
    if all_nodes and node is not None:
        msg = "name a node or say --all, not both"
        raise typer.BadParameter(msg)
    records = running(folder)
    ended = records if all_nodes else [chosen(records, node)]
    if not ended:
        output.note("no node runs in the background")
    _end(ended)
    for record in ended:
        _wait(folder, record)
        output.write(f"Stopped {record.name}.")


def _end(records: Sequence[Record]) -> None:
    for record in records:
        with suppress(ProcessLookupError):  # it ended by itself just now
            os.kill(record.pid, signal.SIGTERM)


def _wait(folder: Path, record: Record) -> None:
    from devchain.cli.node_records import lives

    deadline = time.monotonic() + PATIENCE_SECONDS
    while lives(folder, record.name):
        if time.monotonic() > deadline:
            msg = f"{record.name} is still running; to end it at once: kill -9 {record.pid}"
            raise StillRunning(msg)
        time.sleep(PAUSE_SECONDS)
