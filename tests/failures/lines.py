"""Whether source traces name the marked lines, and where they do not: `inexact.toml`.

    .venv/bin/python -m tests.failures.lines [--show | --peers] [BUILD ...]

writes that file anew, after a change of the contracts or of how places are found; check every line
that is new in it before you commit it. `--show` prints the cells instead, `--peers` compares with
the answers of Hardhat and titanoboa in `peers.json`.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from tests.failures.builds import BUILDS, Build
from tests.failures.cases import CASES, Case, entry_of
from tests.failures.sources import Expected, Line, marked_lines
from tests.failures.world import World, describe

PEERS = Path(__file__).parent / "peers.json"
INEXACT = Path(__file__).parent / "inexact.toml"

HEAD = """\
# Failures whose source trace is not exact, by build. Written by `python -m tests.failures.lines`.
# near: the lines are right, and one is marked as approximate, since the map does not say more.
# off: another line, or a frame less, with a place that is marked as approximate.
# wrong: the same, and nothing is marked. Every such case is to be explained or mended.
# mute: the hint or reason does not have the word that the table asks for.
"""

RIGHT, NEAR, OFF, WRONG = "right", "near", "off", "wrong"
MUTE = "mute"
KINDS = (NEAR, OFF, WRONG, MUTE)


@cache
def world(build: Build) -> World:
    """The node of a build; each case leaves it as it was."""
    return World(build)


@cache
def answer(build: Build, case: Case) -> tuple[str, Any]:
    """How a case failed, in the words of `describe`, and its source trace."""
    at = world(build)
    with at.node.snapshot():
        error = at.run(case)
        return ("not at all", None) if error is None else (describe(error), error.source_trace)


@cache
def expected_lines(build: Build) -> dict[str, Expected]:
    """What the comments in the sources of a build expect, by case."""
    return marked_lines(sources_of(build))


def sources_of(build: Build) -> dict[str, str]:
    """The texts that were compiled, by path."""
    written = build.read()["input"]["sources"]
    return {path: source["content"] for path, source in written.items()}


def verdict(build: Build, case: Case) -> str:
    """Whether the source trace of a case has the marked lines and no others."""
    expected = expected_lines(build)[case.name]
    trace = answer(build, case)[1]
    frames = [each for each in trace.frames if each.line] if trace else []
    lines = [f"{each.path}:{each.line}" for each in frames]
    wanted = [str(each) for each in expected.lines]
    if expected.failure is None and (frames and frames[-1].note):
        frames, lines = frames[:-1], lines[:-1]  # of the compiler's code: the nearest line it has
    if case.repeats and set(lines) == set(wanted):
        lines = wanted
    is_near = any(each.is_near for each in frames)
    if lines == wanted:
        return NEAR if is_near else RIGHT
    return OFF if is_near else WRONG


def cells(builds: tuple[Build, ...] = BUILDS) -> Iterator[tuple[Build, Case]]:
    """Every build with every case that it has."""
    for build in builds:
        for case in CASES:
            if not entry_of(case.absent, build):
                yield build, case


def hint_verdict(build: Build, case: Case) -> str:
    """Whether the reason or the hint of a source trace has the word that the table asks for."""
    word = entry_of(case.hint, build)
    trace = answer(build, case)[1]
    said = f"{trace.reason} {trace.hint}" if trace else ""
    return RIGHT if word.lower() in said.lower() else MUTE


def compare(build: Build) -> tuple[dict[str, int], list[str]]:
    """Our innermost lines beside those of the peer: counts, and the cases where it is ahead."""
    peer = orjson.loads(PEERS.read_bytes())[build.name]
    counts = dict.fromkeys(
        ("cases", "ours right", "ours approximate", "ours wrong", "ours silent"), 0
    )
    counts |= dict.fromkeys(("peer right", "peer wrong", "peer silent", "passes there"), 0)
    behind = []
    for _, case in cells((build,)):
        marked, trace = expected_lines(build)[case.name], answer(build, case)[1]
        expected = marked.failure
        frames = trace.frames if trace else ()
        ours = [f"{each.path}:{each.line}" if each.line else None for each in frames]
        kind = _judge(ours, expected)
        if kind == "wrong" and (frames[-1].is_near or (expected is None and frames[-1].note)):
            kind = "approximate" if expected else "right"
        if expected is None and ours and ours[-1] == str((marked.lines or [None])[-1]):
            kind = "right"  # the nearest line that there is, that of the call
        theirs = peer.get(case.name) or {"lines": [], "text": ""}
        other = _judge(theirs["lines"], expected)
        if theirs["text"] == "not a failure":
            counts["passes there"] += 1
        else:
            counts[f"peer {other}"] += 1
        counts["cases"] += 1
        counts[f"ours {kind}"] += 1
        if other == "right" and kind != "right":
            behind.append(case.name)
    return counts, behind


def _judge(lines: list[str | None], expected: Line | None) -> str:
    """Whether the innermost frame has the line, or has none."""
    if not lines or lines[-1] is None:
        return "right" if expected is None else "silent"
    return "right" if lines[-1] == str(expected) else "wrong"


def recorded() -> dict[str, dict[str, list[str]]]:
    """What `inexact.toml` has: by build and verdict the cases."""
    return tomllib.loads(INEXACT.read_text(encoding="utf-8")) if INEXACT.exists() else {}


def show(build: Build, case: Case) -> str:
    """A cell as text: what was wanted, what is found."""
    trace = answer(build, case)[1]
    found = [f"{each.place or '-'} {each.note}".strip() for each in trace.frames] if trace else []
    if len(found) > 8:
        found = [f"({len(found)} frames)", *found[-4:]]
    wanted = [str(each) for each in expected_lines(build)[case.name].lines]
    return f"{wanted} found {found} hint {trace.hint!r}" if trace else f"{wanted} found nothing"


def main() -> None:
    """Write or show what is not exact."""
    parser = argparse.ArgumentParser(prog="tests.failures.lines")
    parser.add_argument("--show", action="store_true", help="print the cells, write nothing")
    parser.add_argument("--peers", action="store_true", help="compare with the peers' answers")
    parser.add_argument("builds", nargs="*", help="of these builds alone")
    options = parser.parse_args()
    chosen = tuple(each for each in BUILDS if each.name in options.builds) or BUILDS
    if options.peers:
        for build in chosen:
            counts, behind = compare(build)
            shown = ", ".join(f"{number} {what}" for what, number in counts.items() if number)
            print(f"{build}: {shown}; behind in {', '.join(behind) or 'none'}")  # noqa: T201
        return
    found = recorded()
    for build in chosen:
        inexact: dict[str, list[str]] = {kind: [] for kind in KINDS}
        for _, case in cells((build,)):
            for judged in {verdict(build, case), hint_verdict(build, case)} - {RIGHT}:
                inexact[judged].append(case.name)
                if options.show:
                    print(f"{build} {judged} {case}: {show(build, case)}")  # noqa: T201
        found[build.name] = inexact
    total = {kind: sum(len(each[kind]) for each in found.values()) for kind in KINDS}
    print(f"of {len(list(cells()))} cells {total}")  # noqa: T201
    if not options.show:
        INEXACT.write_text(HEAD + "".join(_section(each, found) for each in BUILDS))


def _section(build: Build, found: dict[str, dict[str, list[str]]]) -> str:
    lines = [f'\n["{build.name}"]']
    for kind, names in found.get(build.name, {}).items():
        lines += (
            [f"{kind} = [", *(f'  "{name}",' for name in names), "]"] if names else [f"{kind} = []"]
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
