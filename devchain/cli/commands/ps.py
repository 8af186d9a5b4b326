"""`devchain ps`: the nodes that run in the background."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.format import span

HEADINGS = ("NAME", "URL", "NETWORK", "PID", "UP")

Listed = Annotated[bool, typer.Option("--json", help="Print the list as JSON.")]


def ps(as_json: Listed = False) -> None:
    """List the nodes that run in the background.

    Example:
      devchain ps
    """
    from devchain.cli.node_records import running, state_directory

    records = running(state_directory())
    if as_json:
        output.show_json([asdict(each) for each in records])
        return
    if not records:
        output.note("no node runs in the background: devchain start --detach starts one")
        return
    from devchain.clock import Clock

    now = Clock().now()
    rows = [
        (each.name, each.url, ",".join(each.networks), str(each.pid), span(now - each.started))
        for each in records
    ]
    widths = [max(len(row[column]) for row in [HEADINGS, *rows]) for column in range(len(HEADINGS))]
    for row in [HEADINGS, *rows]:
        line = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
        output.write((line, output.FAINT if row is HEADINGS else ""))
