"""Compare coverage and stepping of drawn programs with the truth: `python -m tests.vyper_programs`.

For each build a table says how many lines, stops and values were compared, and how many differ,
followed by the smallest programs, with as much as possible left out. The exit code is 1 if a line
that ran is reported missed, or the other way round. Compilers are installed when they are needed.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from tests.vyper_programs.builds import BUILDS, Build, NotCompiled
from tests.vyper_programs.check import (
    KINDS,
    NAME,
    WORST,
    Checked,
    Finding,
    OtherOutcome,
    check_program,
)
from tests.vyper_programs.drawn import Program, draw_program
from tests.vyper_programs.interpreter import TooLong
from tests.vyper_programs.recorded import record
from tests.vyper_programs.smaller import smaller_programs

ALL_KINDS = tuple(chain.from_iterable(KINDS.values()))


@dataclass(slots=True)
class Tally:
    """What the programs of a build gave, and where each kind of difference was found."""

    programs: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    found_in: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    """Sizes and seeds of programs by kind."""


def check_on(build: Build, program: Program) -> Checked:
    """Compile and compare a program. Raises `NotCompiled` or `OtherOutcome`."""
    text = program.text(build.version)
    return check_program(program, build.compile({f"{NAME}.vy": text}))


def check_seeds(build: Build, seeds: Sequence[int]) -> Tally:
    """Compare the programs of seeds."""
    tally = Tally()
    for seed in seeds:
        program = draw_program(seed)
        try:
            checked = check_on(build, program)
        except NotCompiled:
            tally.programs["refused by the compiler"] += 1
            continue
        except OtherOutcome:
            tally.programs["with other results"] += 1
            continue
        tally.programs["compared"] += 1
        tally.compared += checked.compared
        tally.kinds.update(each.kind for each in checked.findings)
        for kind in {each.kind for each in checked.findings}:
            tally.found_in[kind].append((len(program.source), seed))
    return tally


def minimized(build: Build, program: Program, kind: str) -> tuple[Program, Finding]:
    """A smaller program with a difference of that kind, and the difference."""
    finding = _finding(build, program, kind)
    assert finding
    start, is_smaller = 0, True
    while is_smaller:
        is_smaller = False
        candidates = list(enumerate(smaller_programs(program)))
        for place, each in (*candidates[start:], *candidates[:start]):
            if found := _finding(build, each, kind):
                program, finding, start, is_smaller = each, found, place, True
                break
    return program, finding


def _finding(build: Build, program: Program, kind: str) -> Finding | None:
    try:
        findings = check_on(build, program).findings
    except (NotCompiled, OtherOutcome, TooLong):
        return None
    return next((each for each in findings if each.kind == kind), None)


def example(build: Build, program: Program, finding: Finding) -> Iterator[str]:
    """The functions of a program, with the difference beside its line, and the calls up to it."""
    lines = program.text(build.version).split("\n")
    lines[finding.line - 1] += f"  # <-- {finding.kind}: {finding.detail}".rstrip(": ")
    start = next(number for number, line in enumerate(lines) if line.startswith("@"))
    yield from (f"    {line}" for line in lines[start:] if line)
    yield from (
        f"    call {each.function}{each.arguments}" for each in program.calls[: finding.call]
    )


def table(tallies: Mapping[Build, Tally]) -> Iterator[str]:
    """Counts of each kind of difference by build, below how many were compared."""
    yield f"{'':34}" + "".join(f"{build.name:>13}" for build in tallies)
    for what, kinds in KINDS.items():
        yield f"{what:34}" + "".join(f"{each.compared[what]:13,}" for each in tallies.values())
        for kind in kinds:
            yield f"  {kind:32}" + "".join(f"{each.kinds[kind]:13,}" for each in tallies.values())


def main(arguments: list[str]) -> int:
    """Check the programs of seeds with each build; print a table and examples."""
    parser = ArgumentParser(prog="python -m tests.vyper_programs")
    parser.add_argument("--programs", type=int, default=100, help="how many for each build: 100")
    parser.add_argument("--seed", type=int, default=0, help="the first seed: 0")
    parser.add_argument("--build", action="append", choices=[each.name for each in BUILDS])
    parser.add_argument("--kind", action="append", choices=ALL_KINDS, help="of examples")
    parser.add_argument("--examples", type=int, default=1, help="of each kind and build: 1")
    parser.add_argument("--record", action="store_true", help="compile the programs of the tests")
    given = parser.parse_args(arguments)
    if given.record:
        record()
        return 0
    tallies: dict[Build, Tally] = {}
    for build in BUILDS:
        if not given.build or build.name in given.build:
            tally = check_seeds(build, range(given.seed, given.seed + given.programs))
            tallies[build] = tally
            counts = (f"{count} {what}" for what, count in tally.programs.items())
            _write([f"{build.name}: {', '.join(counts)}"])
    _write(table(tallies))
    for kind in given.kind or WORST:
        for build, tally in tallies.items():
            for _, seed in sorted(tally.found_in[kind])[: given.examples]:
                smallest = minimized(build, draw_program(seed), kind)
                _write([f"\n{build.name}, seed {seed}:", *example(build, *smallest)])
    return any(tally.kinds[kind] for tally in tallies.values() for kind in WORST)


def _write(lines: Iterator[str] | list[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
