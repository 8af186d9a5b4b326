"""Movements through executions: lines, functions, opcodes, breakpoints; forward and backward."""

from __future__ import annotations

import re

import pytest

from devchain.errors import InvalidInput
from devchain.source.follow import Execution
from devchain.source.steps import Breakpoint, Debugger
from tests.source.executions import (
    debugger_of,
    execution_of,
    is_absent,
    line_of,
    lines,
    successful,
    text_of,
)

NESTED = [
    "total = 1;",
    "middle(amount);",
    "total += 1;",
    "inner(amount);",
    'require(amount < 10, "two levels down");',
]
NESTED_VYPER = [
    "self.total = 1",
    "self._middle(amount)",
    "self.total += 1",
    "self._inner(amount)",
    'assert amount < 10, "two levels down"',
]
SOLIDITY = ("solc-0.4", "solc-0.6", "solc-0.6-optimized", "solc-0.8", "solc-0.8-optimized")
BUILDS = (*SOLIDITY, "solc-0.8-ir", "vyper-0.3", "vyper-0.4")
WALKED = ("nested_internal", "sibling", "recursion", "proxy", "constructor", "modifier_after")
RUNS = [(build, case) for build in BUILDS for case in WALKED if not is_absent(build, case)]


class TestLines:
    @pytest.mark.parametrize("build", SOLIDITY)
    def test_into_functions(self, build: str) -> None:
        """Lines are stepped through in the order in which they run, into functions."""
        found = lines(debugger_of(build, "nested_internal"), "line")

        assert found == [*NESTED, NESTED[-1]]  # at last the REVERT

    @pytest.mark.parametrize("build", ["vyper-0.3", "vyper-0.4"])
    def test_into_functions_of_vyper(self, build: str) -> None:
        """So are those of Vyper."""
        found = lines(debugger_of(build, "nested_internal"), "line")

        assert list(dict.fromkeys(found)) == NESTED_VYPER

    @pytest.mark.parametrize("build", SOLIDITY)
    def test_over_functions(self, build: str) -> None:
        """Over a call that fails is where the execution ends."""
        assert lines(debugger_of(build, "nested_internal"), "over") == [*NESTED[:2], NESTED[-1]]

    @pytest.mark.parametrize(("build", "case"), RUNS)
    def test_backward_is_the_opposite(self, build: str, case: str) -> None:
        """The lines backward are those forward, from the last to the first."""
        execution = execution_of(build, case)
        starts = [each.step for each in execution.line_starts if each.step]
        debugger = Debugger(execution)
        forward, backward = [], []
        while debugger.line():
            forward.append(debugger.step)
        while debugger.line(back=True):
            backward.append(debugger.step)

        if execution.has_sources:
            assert set(forward) == {*starts, execution.last}
            assert {*backward, execution.last} == {*starts, 0, execution.last}
        assert forward == sorted(forward)
        assert backward == sorted(backward, reverse=True)

    @pytest.mark.parametrize("case", WALKED)
    def test_over_backward_is_the_opposite(self, case: str) -> None:
        """Over a line and back over it ends where it began, in the same function."""
        execution = execution_of("solc-0.8", case)
        for start in execution.line_starts:
            debugger = Debugger(execution)
            debugger.go_to(start.step)
            debugger.over()
            same = execution.activation(debugger.step).named is start.activation
            if start.is_fresh and same and debugger.step < execution.last:
                debugger.over(back=True)
                assert debugger.step == start.step

    def test_without_sources(self) -> None:
        """Without sources a line is an opcode, and over one is past the messages it sends."""
        known = execution_of("solc-0.8", "proxy")
        execution = Execution(known.trace, type(known.registry)())
        debugger = Debugger(execution)
        site = execution.messages.all[1].site or 0

        assert not execution.has_sources
        assert debugger.start() is False
        assert debugger.line()
        assert debugger.step == 1
        debugger.go_to(site)
        debugger.over()
        assert debugger.step == execution.messages.all[1].last + 1
        debugger.over(back=True)
        assert debugger.step == site


class TestOut:
    @pytest.mark.parametrize("build", ["solc-0.4", "solc-0.6", "solc-0.8"])
    def test_to_the_caller(self, build: str) -> None:
        """Out of a function is the line of its caller, after the call."""
        debugger = Debugger(successful(build))
        debugger.start()
        debugger.line()

        assert text_of(debugger) == 'require(amount != 3, "base refuses");'
        debugger.out()
        assert text_of(debugger) == "super.hook(amount);"
        debugger.over()
        assert text_of(debugger) == "total += 1;"

    def test_back_to_the_call(self) -> None:
        """Back out of a function is the jump that called it."""
        debugger = debugger_of("solc-0.8", "nested_internal")
        for _ in range(4):
            debugger.line()
        debugger.out(back=True)

        assert text_of(debugger) == NESTED[3]
        assert debugger.execution.steps[debugger.step].op == "JUMP"

    def test_of_a_message(self) -> None:
        """Out of a message is the line of its sender; back, the opcode that sent it."""
        execution = execution_of("solc-0.8", "proxy")
        debugger = Debugger(execution)
        inner = execution.messages.all[1]
        debugger.go_to(inner.first + 60)
        debugger.out()

        assert debugger.step > inner.last
        assert execution.messages.of_step[debugger.step] is execution.messages.top
        debugger.go_to(inner.first + 60)
        debugger.out(back=True)
        assert debugger.step == inner.site


class TestOpcodes:
    def test_forward_and_backward(self) -> None:
        """Opcodes are stepped through one by one, and not beyond the ends."""
        debugger = debugger_of("solc-0.8", "proxy")
        debugger.go_to(0)

        assert debugger.opcode(back=True) is False
        assert debugger.opcode()
        assert debugger.step == 1
        assert debugger.opcode(back=True)
        assert debugger.step == 0
        debugger.end()
        assert debugger.opcode() is False


class TestFailure:
    @pytest.mark.parametrize("build", BUILDS)
    def test_is_where_it_began(self, build: str) -> None:
        """The failure is in the message that failed first, not in those that passed it on."""
        debugger = debugger_of(build, "proxy")

        assert debugger.failure()
        assert debugger.execution.messages.of_step[debugger.step].number == 1

    def test_none(self) -> None:
        """An execution that succeeded has none."""
        debugger = Debugger(successful("solc-0.8"))

        assert debugger.failure() is False


class TestBreakpoints:
    def test_at_a_line(self) -> None:
        """A line stops where its statement begins, each time it runs."""
        debugger = debugger_of("solc-0.8", "recursion")
        line = line_of(debugger)
        debugger.go_to(0)
        debugger.toggle(debugger.parse_breakpoint(line))
        stops = []
        while debugger.continue_():
            stops.append(line_of(debugger))

        assert len(stops) > 2
        assert set(stops) == {line}
        assert debugger.step == debugger.execution.last

    def test_backward(self) -> None:
        """Backward the stops are the same, and the first step at last."""
        debugger = debugger_of("solc-0.8", "recursion")
        debugger.toggle(debugger.parse_breakpoint(line_of(debugger)))
        debugger.go_to(0)
        forward = []
        while debugger.continue_():
            forward.append(debugger.step)
        backward = []
        while debugger.continue_(back=True):
            backward.append(debugger.step)

        assert backward == forward[::-1]
        assert debugger.step == 0

    @pytest.mark.parametrize(
        ("text", "pattern"), [("sload", "SLOAD"), ("SHA3", "KECCAK256"), ("PUSH*", "PUSH[0-9]+")]
    )
    def test_at_an_opcode(self, text: str, pattern: str) -> None:
        """An opcode stops before it runs; a star stands for the rest of a name."""
        execution = execution_of("solc-0.8", "external_library")
        debugger = Debugger(execution)
        debugger.toggle(debugger.parse_breakpoint(text))
        stops = []
        while debugger.continue_():
            stops.append(debugger.step)

        steps = enumerate(execution.steps)
        expected = [number for number, each in steps if number and re.fullmatch(pattern, each.op)]
        assert stops == expected
        assert stops

    def test_in_this_source(self) -> None:
        """A line without a file is one of the source at this step."""
        debugger = debugger_of("solc-0.8", "nested_internal")

        assert debugger.parse_breakpoint("17") == Breakpoint("Structure.sol", 17)

    def test_never_reached(self) -> None:
        """It is known before running whether a breakpoint is reached."""
        debugger = debugger_of("solc-0.8", "nested_internal")

        assert debugger.is_reached(debugger.parse_breakpoint(line_of(debugger)))
        assert not debugger.is_reached(Breakpoint("Structure.sol", 1))
        assert not debugger.is_reached(Breakpoint(opcode="CREATE"))

    @pytest.mark.parametrize(
        "text", ["", "Vault.sol:", "no such:x", "Other.sol:3", "-1", "\x1b[2J"]
    )
    def test_wrong(self, text: str) -> None:
        """What is no breakpoint, or in no source that runs, is refused with what to write."""
        with pytest.raises(InvalidInput):
            debugger_of("solc-0.8", "nested_internal").parse_breakpoint(text)


class TestRuns:
    def test_where_lines_ran(self) -> None:
        """Backward a line leads to the last time before, which for each is behind the first."""
        debugger = debugger_of("solc-0.8", "recursion")
        every = range(1, 10_000)
        debugger.go_to(debugger.execution.last)
        [path] = {each.location.path for each in debugger.execution.line_starts}
        before, first = debugger.runs(path, every, back=True), debugger.runs(path, every)

        assert before.keys() == first.keys()
        assert all(before[line] >= step for line, step in first.items())
        line = next(line for line, step in first.items() if before[line] > step)
        debugger.go_to(before[line])
        while line in (again := debugger.runs(path, every, back=True)):
            assert again[line] < debugger.step
            debugger.go_to(again[line])
        assert debugger.step == first[line]
        debugger.go_to(0)
        assert debugger.runs(path, every, back=True) == {}
