"""Stepping through Vyper: every line that runs, with the values that variables have there."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from devchain import Config, Node
from devchain.client.http import LocalClient
from devchain.debugger.rpc_trace import trace_transaction
from devchain.errors import InvalidInput
from devchain.stepping.execution import Execution
from devchain.stepping.movements import Breakpoint, Debugger
from devchain.stepping.views import call_stack, local_variables
from tests.stepping.executions import newest_of

CONTRACTS = Path(__file__).parent / "contracts"
BUILDS = ("0.3-none", "0.3-gas", "0.4-none", "0.4-gas", "0.4-codesize")
FILL = """
outs: DynArray[uint256, 8] = []
for i in range(n, bound=8):     outs=[]
outs.append(i)                  outs=[] i=0
for i in range(n, bound=8):     outs=[0]
outs.append(i)                  outs=[0] i=1
for i in range(n, bound=8):     outs=[0, 1]
self.kept = outs                outs=[0, 1]
return outs                     outs=[0, 1]
return outs                     outs=[0, 1]
"""
PUSH = """
self.kept.append(n)
self.kept.pop()
x: uint256 = n
x += 1                          x=2
return x                        x=3
return x                        x=3
"""
SMALLER = """
best: uint256 = n
if n > most:                    best=3
best = most                     best=3
other: uint256 = best           best=2
if other == n:                  best=2 other=2
return other                    best=2 other=2
return other                    best=2 other=2
"""
DOUBLED = """
best: uint256 = n
if n > most:                    best=2
best = self._doubled(n)         best=2
twice: uint256 = n
twice += n                      twice=2
return twice                    twice=4
best = self._doubled(n)         best=2
other: uint256 = best           best=4
if other == n:                  best=4 other=4
return other                    best=4 other=4
return other                    best=4 other=4
"""
SAME = """
best: uint256 = n
if n > most:                    best=0
best = self._doubled(n)         best=0
twice: uint256 = n
twice += n                      twice=0
return twice                    twice=0
best = self._doubled(n)         best=0
other: uint256 = best           best=0
if other == n:                  best=0 other=0
return n                        best=0 other=0
return n                        best=0 other=0
"""
LISTED = """
for each in [3, 1]:
seen: DynArray[uint256, 4] = [] each=3
seen.append(each)               each=3 seen=[]
if each == n:                   each=3 seen=[3]
for each in [3, 1]:
seen: DynArray[uint256, 4] = [] each=1
seen.append(each)               each=1 seen=[]
if each == n:                   each=1 seen=[1]
for each in [3, 1]:
last: uint256 = n
last += 1                       last=9
last += 1                       last=10
"""
"""What each call stops at, and at last where it ends: the line and its local variables."""

CALLS = {
    ("fill", 2): FILL,
    ("push", 2): PUSH,
    ("chosen", 3, 2): SMALLER,
    ("chosen", 2, 3): DOUBLED,
    ("chosen", 0, 3): SAME,
    ("listed", 9): LISTED,
}


@cache
def execution_of(build: str, name: str, *arguments: int) -> Execution:
    """A call of `Walk.vy`, compiled by a version of vyper with an optimizer."""
    node = Node(Config(artifacts=(str(CONTRACTS / f"walk-{build}.json"),)))
    node.deploy("Walk")[name].transact(*arguments)
    return Execution(trace_transaction(LocalClient(node), newest_of(node)), node.artifacts)


def walk(execution: Execution, move: str = "line") -> list[str]:
    """Lines with their local variables, until a movement moves no more."""
    debugger = Debugger(execution)
    debugger.start()
    found = [_shown(debugger)]
    while getattr(debugger, move)():
        found.append(_shown(debugger))
    return found


def _shown(debugger: Debugger) -> str:
    position = debugger.execution.position(debugger.step)
    line = position.file.text_of_line(position.line).strip() if position else ""
    [frame] = call_stack(debugger.execution, debugger.step, 1)[:1]
    values = [f"{name}={value}" for name, value in local_variables(debugger.execution, frame)]
    return f"{line.replace(': uint256 in', ' in'):<32}{' '.join(values)}".strip()


def expected(stops: str, build: str) -> list[str]:
    """What a build stops at: vyper before 0.4 does not write the type of variables of loops."""
    lines = stops.strip().split("\n")
    if build.startswith("0.3"):
        lines = [each.replace("each=3", "").replace("each=1", "") for each in lines]
        lines = [each.replace(" i=0", "").replace(" i=1", "") for each in lines]
    return [f"{each[:32]:<32}{each[32:].strip()}".strip() for each in lines]


@pytest.mark.parametrize("build", BUILDS)
class TestLines:
    @pytest.mark.parametrize("call", CALLS, ids=lambda call: "-".join(map(str, call)))
    def test_every_line(self, build: str, call: tuple[str, int]) -> None:
        """Each line that runs is one to stop at, with true values; at the end the last ones."""
        assert walk(execution_of(build, *call)) == expected(CALLS[call], build)

    def test_over_functions(self, build: str) -> None:
        """Over an internal function are the lines of its caller."""
        found = walk(execution_of(build, "chosen", 2, 3), "over")
        into = expected(DOUBLED, build)

        assert found == [*into[:3], *into[7:]]

    def test_break(self, build: str) -> None:
        """After a `break`, at which optimized code has no instruction, is what follows the loop."""
        lines = [each.partition("  ")[0] for each in walk(execution_of(build, "listed", 3))]
        after = lines[lines.index("if each == n:") + 1 :]

        assert after[-3:] == ["last: uint256 = n", "last += 1", "last += 1"]
        assert after[:-3] in ([], ["break"])


class TestBreakpoints:
    @pytest.mark.parametrize("build", BUILDS)
    def test_without_a_range(self, build: str) -> None:
        """A breakpoint at a statement to which the compiler gives no range stops there."""
        debugger = Debugger(execution_of(build, "push", 2))
        wanted = Breakpoint("Walk.vy", line_of(debugger, "return x"))

        assert debugger.nearest_breakpoint(wanted) == wanted
        debugger.toggle(wanted)
        assert debugger.continue_()
        assert _shown(debugger).startswith("return x")

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
    file = debugger.execution.line_starts[0].position.file
    lines = [each.strip() for each in file.text.split("\n")]
    return lines.index(text) + 1
