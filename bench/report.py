"""What was measured, as one table for people and as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.timing import MILLISECONDS, Measured
from devchain.node import version

SAME = 0.05
"""Ratios nearer to one than this are the same."""

LONGEST_FAILURE = 200
LONG_MILLISECONDS = 10_000
CAPTION = """\
Ratios are to what is named first; all took turns. Spread is half the range of
the rounds. Quote ratios of one run: times are this machine's, at this moment."""


def show(measured: Sequence[Measured], console: Console) -> None:
    """The table."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("Workload", no_wrap=True)
    table.add_column("Node", no_wrap=True)
    for heading in ("Median", "Spread", "Ratio"):
        # Of what an 80-column terminal has no room for, the figures are the last to be cut.
        whole = len("1.42× slower") if heading == "Ratio" else None
        table.add_column(heading, justify="right", no_wrap=True, min_width=whole)
    for group, of_group in groupby(measured, lambda each: each.group):
        table.add_section()
        table.add_row(Text(group, style="bold"))
        for _, rows in groupby(of_group, lambda each: each.workload):
            for row in _rows(list(rows)):
                table.add_row(*row)
    console.print(_title(), style="bold")
    console.print(table)
    for each in measured:
        if each.failure:
            said = each.failure[:LONGEST_FAILURE]
            console.print(Text(f"{each.who}, {each.workload}: {said}", style="red"))
    console.print(CAPTION, style="dim")


def as_json(measured: Sequence[Measured], rounds: int) -> str:
    """Everything, the single samples too."""
    results = []
    for rows in _workloads(measured):
        results += [{**asdict(each), **_figures(each, rows[0])} for each in rows]
    about = {"devchain": version(), "python": platform.python_version(), "rounds": rounds}
    return json.dumps({**about, "results": results}, indent=2) + "\n"


def ratio(each: Measured, first: Measured) -> float | None:
    """How many times as much as the first took it took; None where there is nothing to compare."""
    if not each.samples or not first.samples or not first.median:
        return None
    return each.median / first.median


def _workloads(measured: Sequence[Measured]) -> Iterator[list[Measured]]:
    for _, rows in groupby(measured, lambda each: (each.group, each.workload)):
        yield list(rows)


def _figures(each: Measured, first: Measured) -> dict[str, Any]:
    if not each.samples:
        return {"median": None, "spread": None, "ratio": None}
    return {"median": each.median, "spread": each.spread, "ratio": ratio(each, first)}


def _rows(of_workload: Sequence[Measured]) -> Iterator[list[str | Text]]:
    first = of_workload[0]
    for each in of_workload:
        name = f"  {each.workload}" if each is first else ""
        if each.failure:
            yield [name, each.who, Text("failed", style="red")]
            continue
        against = "" if each is first else _in_words(ratio(each, first))
        spread = f"± {each.spread:.0%}" if len(each.samples) > 1 else ""
        yield [name, each.who, _amount(each), spread, against]


def _in_words(times: float | None) -> Text:
    if times is None:
        return Text("")
    if abs(times - 1) < SAME:
        return Text("the same", style="dim")
    if times < 1:
        return Text(f"{_short(1 / times)}× faster", style="green")
    return Text(f"{_short(times)}× slower", style="yellow")


def _amount(each: Measured) -> str:
    if each.unit == "ms" and each.median >= LONG_MILLISECONDS:
        return f"{_short(each.median / MILLISECONDS)} s"
    return f"{_short(each.median)} {each.unit}"


def _short(value: float) -> str:
    """Three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _title() -> str:
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    python = platform.python_version()
    return f"devchain {version()}, Python {python}, {os.cpu_count()} processors{load}"
