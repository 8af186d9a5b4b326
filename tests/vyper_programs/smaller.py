"""Programs with something left out, to make examples small."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tests.vyper_programs.drawn import INDENT, Program

FUNCTION = re.compile(r"def (\w+)")


def smaller_programs(program: Program) -> Iterator[Program]:
    """Programs without a call, or without a line and those that belong to it.

    Not all of them are programs: the compiler refuses the others.
    """
    for place in range(len(program.calls)):
        calls = (*program.calls[:place], *program.calls[place + 1 :])
        yield replace(program, calls=calls)
    lines = program.source.split("\n")
    called = {"__init__", *(each.function for each in program.calls)}
    for first, line in enumerate(lines):
        if line.startswith("@") and FUNCTION.findall(lines[first + 1])[0] not in called:
            end = _end_of_block(lines, first + 1)
            yield _with_lines(program, lines[:first], lines[end:])
        if not line.startswith(INDENT):
            continue
        end = _end_of_block(lines, first)
        yield _with_lines(program, lines[:first], lines[end:])
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip() != "pass":
            yield _with_lines(program, lines[:first], [f"{indent}pass"], lines[end:])
        if end > first + 1:
            inside = [each.removeprefix(INDENT) for each in lines[first + 1 : end]]
            yield _with_lines(program, lines[:first], inside, lines[end:])
            last = _end_of_block(lines, end)
            if lines[end].startswith(f"{indent}el"):
                yield _with_lines(program, lines[:first], lines[last:])


def _end_of_block(lines: Sequence[str], first: int) -> int:
    """The number of the line after one and those that are indented more."""
    depth = len(lines[first]) - len(lines[first].lstrip())
    end = first + 1
    while end < len(lines) and lines[end].startswith(" " * (depth + 1)):
        end += 1
    return end


def _with_lines(program: Program, *parts: Sequence[str]) -> Program:
    return replace(program, source="\n".join(line for part in parts for line in part))
