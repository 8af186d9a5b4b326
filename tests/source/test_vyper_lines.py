"""Stepping through Vyper: the lines to which the compiler's source map gives code."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from devchain import Config, Node
from devchain.client.http import LocalClient
from devchain.client.rpc_trace import trace_transaction
from devchain.errors import InvalidInput
from devchain.source.follow import Execution
from devchain.source.steps import Breakpoint, Debugger
from tests.source.executions import newest_of

CONTRACTS = Path(__file__).parent / "contracts"
BUILDS = ("0.3-none", "0.3-gas", "0.4-none", "0.4-gas", "0.4-codesize")
FILL = """
outs: DynArray[uint256, 8] = []
for i in range(n, bound=8):
outs.append(i)
for i in range(n, bound=8):
outs.append(i)
for i in range(n, bound=8):
self.kept = outs
return outs
"""
PUSH = """
self.kept.append(n)
self.kept.pop()
x: uint256 = n
x += 1
return x
"""
DOUBLED = """
best: uint256 = n
if n > most:
best = self._doubled(n)
twice: uint256 = n
twice += n
return twice
best = self._doubled(n)
other: uint256 = best
if other == n:
return other
"""
LISTED = """
for each in [3, 1]:
seen: DynArray[uint256, 4] = []
seen.append(each)
if each == n:
for each in [3, 1]:
seen: DynArray[uint256, 4] = []
seen.append(each)
if each == n:
for each in [3, 1]:
last: uint256 = n
last += 1
"""
"""The lines that each call runs."""

CALLS = {
    ("fill", 2): FILL,
    ("push", 2): PUSH,
    ("chosen", 2, 3): DOUBLED,
    ("listed", 9): LISTED,
}


@cache
def execution_of(build: str, name: str, *arguments: int) -> Execution:
    """A call of `Walk.vy`, compiled by a version of vyper with an optimizer."""
    node = Node(Config(artifacts=(str(CONTRACTS / f"walk-{build}.json"),)))
    node.deploy("Walk")[name].transact(*arguments)
    return Execution(trace_transaction(LocalClient(node), newest_of(node)), node.artifacts)


def walk(execution: Execution) -> list[str]:
    """The lines at which one stops until a movement moves no more."""
    debugger = Debugger(execution)
    debugger.start()
    found = [_shown(debugger)]
    while debugger.line():
        found.append(_shown(debugger))
    return found


def _shown(debugger: Debugger) -> str:
    location = debugger.execution.location(debugger.step)
    line = location.file.text_of_line(location.line).strip() if location else ""
    return line.replace(": uint256 in", " in")


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("call", CALLS, ids=lambda call: "-".join(map(str, call)))
def test_lines(build: str, call: tuple[str, int]) -> None:
    """One stops at lines that run, in their order; at those to which the compiler gives a range."""
    *stops, end = walk(execution_of(build, *call))
    lines = iter(CALLS[call].strip().split("\n"))

    assert all(stop in lines for stop in stops)
    assert len(stops) > 1
    assert end == stops[-1]


class TestBreakpoints:
    def test_without_code(self) -> None:
        """At a line without code it is set at the next one that has some."""
        debugger = Debugger(execution_of("0.4-gas", "push", 2))
        first = line_of(debugger, "self.kept.append(n)")

        assert debugger.nearest_breakpoint(Breakpoint("Walk.vy", first - 1)).line == first
        assert debugger.nearest_breakpoint(Breakpoint(opcode="LOG*")) == Breakpoint(opcode="LOG*")

    def test_after_all_code(self) -> None:
        """Where no code follows it is refused."""
        debugger = Debugger(execution_of("0.4-gas", "push", 2))

        with pytest.raises(InvalidInput, match=r"no code begins at Walk\.vy:99 or after it"):
            debugger.nearest_breakpoint(Breakpoint("Walk.vy", 99))


def line_of(debugger: Debugger, text: str) -> int:
    """The number of the line of a statement of `Walk.vy`."""
    file = debugger.execution.line_starts[0].location.file
    lines = [each.strip() for each in file.text.split("\n")]
    return lines.index(text) + 1
