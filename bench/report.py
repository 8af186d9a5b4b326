"""Results as a table and as JSON."""

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
"""Ratios that differ from 1 by less are shown as the same."""

MAX_FAILURE_LENGTH = 200
LONG_MILLISECONDS = 10_000
CAPTION = """\
Ratios are to the first of each workload; rounds alternate between all.
Spread is half the range of the rounds. Quote ratios of one run: times depend
on the machine."""
TRAFFIC = """
Upstream: JSON-RPC calls to the forked node, and the round trips they took."""


def show(measured: Sequence[Measured], console: Console) -> None:
    """Print the table."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("Workload", no_wrap=True)
    table.add_column("Node", no_wrap=True)
    # On 80 columns other columns are cut before the figures.
    for heading, longest in (
        ("Median", "8,999 ms"),
        ("Spread", "± 100%"),
        ("Ratio", "1.42× slower"),
    ):
        table.add_column(heading, justify="right", no_wrap=True, min_width=len(longest))
    has_traffic = any(each.upstream for each in measured)
    if has_traffic:
        table.add_column("Upstream", justify="right", no_wrap=True, min_width=len("Upstream"))
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
            failure = each.failure[:MAX_FAILURE_LENGTH]
            console.print(Text(f"{each.who}, {each.workload}: {failure}", style="red"))
    console.print(CAPTION + (TRAFFIC if has_traffic else ""), style="dim")


def as_json(measured: Sequence[Measured], rounds: int) -> str:
    """Every result, with its samples."""
    results = []
    for rows in _workloads(measured):
        results += [{**asdict(each), **_figures(each, rows[0])} for each in rows]
    about = {"devchain": version(), "python": platform.python_version(), "rounds": rounds}
    return json.dumps({**about, "results": results}, indent=2) + "\n"


def ratio(each: Measured, first: Measured) -> float | None:
    """The median divided by that of the first; None where one is missing."""
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
        yield [name, each.who, _amount(each), spread, against, *_traffic(each)]


def _traffic(each: Measured) -> Iterator[str]:
    if each.traffic:
        calls, trips = each.traffic
        yield f"{calls} in {trips}" if calls else "0"


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
    """A number with three significant digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _title() -> str:
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    python = platform.python_version()
    return f"devchain {version()}, Python {python}, {os.cpu_count()} processors{load}"
