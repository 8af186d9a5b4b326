"""`devchain ps`, `logs` and `stop`: nodes that `devchain start` runs on this machine."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.background import (
    NodeRecord,
    is_running,
    log_path,
    read_log,
    running_nodes,
    state_directory,
    stopped_nodes,
)
from devchain.cli.options import AsJson, parse_whole
from devchain.clock import Clock
from devchain.errors import DevchainError, NotFound
from devchain.text import span

COLUMNS = ("NAME", "URL", "NETWORK", "PID", "UP", "RUNS IN", "BITCOIN")
STOP_TIMEOUT = 15.0
POLL_SECONDS = 0.02


NameOrPort = Annotated[
    str | None,
    typer.Argument(help="Name or port of the node, as in devchain ps.", metavar="NAME|PORT"),
]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Print new lines, too.")]
Lines = Annotated[
    int | None,
    typer.Option("--lines", "-n", help="Print the last N.", metavar="N", parser=parse_whole()),
]
All = Annotated[bool, typer.Option("--all", help="Stop every node.")]


def ps(as_json: AsJson = False) -> None:
    """List the nodes that run on this machine.

    Example:
      devchain ps
    """
    records = running_nodes(state_directory())
    if as_json:
        output.write_json([asdict(record) for record in records])
        return
    if not records:
        output.write_note("no node runs: devchain start starts one")
        return
    now = Clock().now()
    rows = [
        (
            *(node.name, node.url, ",".join(node.networks), str(node.pid)),
            *(span(now - node.started), "background" if node.detached else "a terminal"),
            node.bitcoin,
        )
        for node in records
    ]
    widths = [max(map(len, column)) for column in zip(COLUMNS, *rows, strict=True)]
    for row in [COLUMNS, *rows]:
        line = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
        output.write_line((line, output.FAINT if row is COLUMNS else ""))


def logs(node: NameOrPort = None, follow: Follow = False, lines: Lines = None) -> None:
    """Print the log of a node in the background, running or stopped.

    Without a name it is the node that runs, or if none does the one that stopped last.

    Examples:
      devchain logs
      devchain logs test-4444 --lines 20 --follow
    """
    folder = state_directory()
    name = _with_log(folder, node)
    if not is_running(folder, name):
        output.write_note((f"{name} has stopped; its log:", output.FAINT))
    for line in read_log(
        log_path(folder, name), lambda: follow and is_running(folder, name), lines
    ):
        output.write_line(line.rstrip("\n"))
        sys.stdout.flush()


def _with_log(folder: Path, node: str | None) -> str:
    running, left = running_nodes(folder), stopped_nodes(folder)
    if node in left or (node is None and not running and left):
        return node or left[0]
    detached = [record for record in running if record.detached]
    record = select_node((node is None and detached) or running, node)
    if not record.detached:
        raise NotFound(f"{record.name} runs in a terminal, which has its log")
    return record.name


def stop(node: NameOrPort = None, all_nodes: All = False) -> None:
    """Stop a node; without a name, the only one that runs.

    Examples:
      devchain stop test-4444
      devchain stop --all
    """
    if all_nodes and node is not None:
        raise typer.BadParameter("give the name of a node or --all, not both")
    folder = state_directory()
    running = running_nodes(folder)
    records = running if all_nodes else [select_node(running, node)]
    if not records:
        output.write_note("no node runs")
    for record in records:
        with suppress(ProcessLookupError):  # it has just ended by itself
            os.kill(record.pid, signal.SIGTERM)
    for record in records:
        _wait_until_stopped(folder, record)
        output.write_line(f"Stopped {record.name}.")


def select_node(records: Sequence[NodeRecord], name: str | None) -> NodeRecord:
    """The node with that name or port, or the only one; raises `NotFound`."""
    matches = [
        record for record in records if name is None or name in {record.name, str(record.port)}
    ]
    if len(matches) == 1:
        return matches[0]
    names = ", ".join(record.name for record in records)
    if not records:
        raise NotFound("no node runs: `devchain start` starts one")
    if name is None:
        raise NotFound(f"several nodes run: name one of {names}")
    raise NotFound(f"no node {name!r} runs; running: {names}")


def _wait_until_stopped(folder: Path, record: NodeRecord) -> None:
    deadline = time.monotonic() + STOP_TIMEOUT
    while is_running(folder, record.name):
        if time.monotonic() > deadline:
            raise DevchainError(
                f"{record.name} is still running; to end it at once: kill -9 {record.pid}"
            )
        time.sleep(POLL_SECONDS)
