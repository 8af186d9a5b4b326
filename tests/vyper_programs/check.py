"""Coverage and stepping of drawn programs, compared with what the interpreter says."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from eth_abi.abi import encode

from devchain import Config, Node
from devchain.contracts.coverage import build_report
from devchain.contracts.coverage_report import NO_CODE, UNKNOWN
from devchain.contracts.fixed_point import decimal_text
from devchain.errors import VmError
from devchain.stepping.execution import Execution, LineStart
from devchain.stepping.recording import record_transaction
from devchain.stepping.trace import Trace
from devchain.stepping.views import call_stack, local_variables
from devchain.types import Address, checksum
from tests.vyper_programs.drawn import SENDER, Program
from tests.vyper_programs.interpreter import DEPLOYMENT, Call, Event, Interpreter, Outcome
from tests.vyper_programs.values import ADDRESS, BOOL, DECIMAL, Type, Value, scaled

FALSE_MISS = "ran, reported missed"
FAILED_MISS = "always failed, reported missed"
FALSE_HIT = "did not run, reported run"
WRONG_COUNT = "wrong count"
NOT_MEASURED = "not measurable"
WITHOUT_CODE = "ran, reported without code"
WRONG_STOP = "wrong stop"
MISSING_STOP = "missing stop"
MISSING_TURN = "missing stop at a turn"
END_OF_LOOP = "stop at the end of a loop"
WRONG_FAILURE = "wrong failing line"
WRONG_VALUE = "wrong value"
MISSING_VALUE = "missing value"
KINDS = {
    "lines": (FALSE_MISS, FAILED_MISS, FALSE_HIT, WRONG_COUNT, NOT_MEASURED, WITHOUT_CODE),
    "stops": (WRONG_STOP, MISSING_STOP, MISSING_TURN, END_OF_LOOP),
    "failures": (WRONG_FAILURE,),
    "values": (WRONG_VALUE, MISSING_VALUE),
}
"""Kinds of differences by what is compared."""

WORST = (FALSE_MISS, FAILED_MISS, FALSE_HIT)
NAME = "Drawn"
GAS = 5_000_000


class OtherOutcome(Exception):
    """A call ended otherwise than the interpreter says: a defect of the compiler, or of ours."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference: its kind, the line, and after which call (that of the constructor is 0)."""

    kind: str
    line: int
    call: int
    detail: str = ""


@dataclass(slots=True)
class Checked:
    """How many lines, stops, failures and values were compared, and the differences."""

    compared: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


def check_program(program: Program, compiled: Mapping[str, Any]) -> Checked:
    """Deploy a program, run its calls, and compare after each. Raises `OtherOutcome`.

    A line that counts wrong after several calls is one difference.
    """
    found = Checked()
    truth, contract = Interpreter(program.text(), SENDER), _Contract(compiled)
    found.compared["lines"] = len(truth.statements)
    began: Counter[int] = Counter()
    failed: Counter[int] = Counter()
    different: set[tuple[str, int]] = set()
    for number, call in enumerate([DEPLOYMENT, *program.calls]):
        outcome = truth.transact(call)
        trace = contract.transact(call, truth.parameters(call.function))
        kind = truth.returns(call.function)
        expected = _encode([kind], [outcome.value]) if kind and not outcome.failed else b""
        if trace.failed is not outcome.failed or (expected and trace.output != expected):
            raise OtherOutcome(f"call {number}: {outcome}")
        began.update(each.line for each in outcome.events if not each.is_turn)
        if outcome.failed:
            failed[outcome.events[-1].line] += 1
        for finding in _compare_lines(truth, began, failed, contract.lines(), number):
            if (finding.kind, finding.line) not in different:
                different.add((finding.kind, finding.line))
                found.findings.append(finding)
        execution = Execution(trace, contract.node.artifacts)
        _Stepping(execution, truth, outcome, number, found).compare()
        if outcome.failed and call is DEPLOYMENT:
            break
    return found


class _Contract:
    """A drawn contract on a node with coverage."""

    def __init__(self, compiled: Mapping[str, Any]) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder, "compiled.json")
            path.write_text(json.dumps(compiled))
            self.node = Node(Config(artifacts=(str(path),), coverage="-", hardfork="vetiver"))
        [self.artifact] = self.node.artifacts.find_by_name(NAME)
        self.address: Address | None = None

    def transact(self, call: Call, parameters: Mapping[str, Type]) -> Trace:
        """Deploy the contract, or call it; returns how it ran."""
        data = self.artifact.creation.template
        if self.address:
            entries = self.artifact.abi.functions.values()
            [selector] = [each.selector for each in entries if each.name == call.function]
            data = selector + _encode(list(parameters.values()), call.arguments)
        with suppress(VmError):
            self.node.transact(to=self.address, data=data, gas=GAS)
        chain = self.node.chain
        trace = record_transaction(chain, chain.head.transactions[-1].hash, lambda _: b"")
        assert trace
        assert not trace.is_cut
        self.address = self.address or trace.subject.created
        return trace

    def lines(self) -> Mapping[int, int]:
        """The counts of lines so far."""
        assert self.node.coverage
        return build_report([self.node.coverage]).files[f"{NAME}.vy"].lines


def _encode(kinds: Sequence[Type], values: Sequence[Value]) -> bytes:
    return encode(list(map(_abi_type, kinds)), list(map(_abi_value, kinds, values)))


def _abi_type(kind: Type) -> str:
    if kind.item:
        return f"{_abi_type(kind.item)}[{'' if kind.is_dynamic else kind.size}]"
    if kind.members:
        return f"({','.join(map(_abi_type, kind.members.values()))})"
    return "int168" if kind is DECIMAL else kind.text


def _abi_value(kind: Type, value: Value) -> Any:
    if kind.item:
        return [_abi_value(kind.item, each) for each in value]
    if kind.members:
        return tuple(_abi_value(each, value[name]) for name, each in kind.members.items())
    if kind is BOOL:
        return bool(value)
    return value.to_bytes(20, "big") if kind is ADDRESS else scaled(kind, value)


def _compare_lines(
    truth: Interpreter,
    began: Mapping[int, int],
    failed: Mapping[int, int],
    lines: Mapping[int, int],
    call: int,
) -> Iterator[Finding]:
    """Differences of the counts of lines; those of loops may be their turns."""
    for line, statement in truth.statements.items():
        times, count = began.get(line, 0), lines.get(line, NO_CODE)
        finding = partial(Finding, line=line, call=call, detail=f"{times} times, reported {count}")
        if count == UNKNOWN:
            yield finding(NOT_MEASURED)
        elif count > 0 and not times:
            yield finding(FALSE_HIT)
        elif count == 0 and times:
            yield finding(FAILED_MISS if failed.get(line) == times else FALSE_MISS)
        elif count == NO_CODE and times and not truth.may_lack_code(line):
            yield finding(WITHOUT_CODE)
        elif count > 0 and count != times and not isinstance(statement, ast.For):
            yield finding(WRONG_COUNT)
    for line in lines.keys() - truth.statements.keys():
        if lines[line] > 0:
            yield Finding(FALSE_HIT, line, call, "no statement")


class _Stepping:
    """The statements at which a debugger stops in one call, beside those that began."""

    def __init__(
        self, execution: Execution, truth: Interpreter, outcome: Outcome, call: int, found: Checked
    ) -> None:
        """`found` is what differences are added to."""
        self.execution = execution
        self.truth = truth
        self.outcome = outcome
        self.call = call
        self.found = found
        self.starts = [each for each in execution.line_starts if each.is_fresh]

    def compare(self) -> None:
        """Add what differs."""
        events = self.outcome.events
        self.found.compared["stops"] += len(events)
        for event, start in self._aligned(events, [self._line(each) for each in self.starts]):
            if event and start:
                self._compare_values(event, start)
            elif start:
                line = self._line(start)
                is_loop = isinstance(self.truth.statements.get(line), ast.For)
                self._add(END_OF_LOOP if is_loop else WRONG_STOP, line)
            elif event:
                self._add(MISSING_TURN if event.is_turn else MISSING_STOP, event.line)
        if self.outcome.failed:
            self.found.compared["failures"] += 1
            position = self.execution.position(self.execution.last)
            if position is None or position.of_statement.line != events[-1].line:
                shown = position.of_statement.line if position else "nothing"
                self._add(WRONG_FAILURE, events[-1].line, f"shown {shown}")

    @staticmethod
    def _line(start: LineStart) -> int:
        """The line on which the statement of a stop begins."""
        return start.position.of_statement.line

    def _add(self, kind: str, line: int, detail: str = "") -> None:
        self.found.findings.append(Finding(kind, line, self.call, detail))

    def _aligned(
        self, events: Sequence[Event], lines: Sequence[int]
    ) -> Iterator[tuple[Event | None, LineStart | None]]:
        """Events and stops of the same line side by side, with as few others as possible.

        Without events at which nothing needs to stop: of statements that may have no code, and of
        turns after these.
        """
        lacking = [self.truth.may_lack_code(each.line) for each in events]
        left_out = [
            0 if lacks or (event.is_turn and before) else 1
            for event, lacks, before in zip(events, lacking, [False, *lacking], strict=False)
        ]
        # The cost of the rest, by the number of events and of stops before it.
        costs = [[0] * (len(lines) + 1) for _ in range(len(events) + 1)]
        for row in range(len(events), -1, -1):
            for column in range(len(lines), -1, -1):
                choices = []
                if row < len(events):
                    choices.append(costs[row + 1][column] + left_out[row])
                if column < len(lines):
                    choices.append(costs[row][column + 1] + 1)
                if len(choices) == 2 and events[row].line == lines[column]:
                    choices.append(costs[row + 1][column + 1])
                costs[row][column] = min(choices, default=0)
        row = column = 0
        while row < len(events) or column < len(lines):
            cost = costs[row][column]
            is_event, is_stop = row < len(events), column < len(lines)
            is_same = is_event and is_stop and events[row].line == lines[column]
            if is_same and cost == costs[row + 1][column + 1]:
                yield events[row], self.starts[column]
                row, column = row + 1, column + 1
            elif is_stop and cost == costs[row][column + 1] + 1:
                yield None, self.starts[column]
                column += 1
            else:
                if left_out[row]:
                    yield events[row], None
                row += 1

    def _compare_values(self, event: Event, start: LineStart) -> None:
        [frame] = list(call_stack(self.execution, start.step, 1))[:1]
        shown = dict(local_variables(self.execution, frame))
        kinds, values = self.truth.kinds, event.variables
        true = {name: _shown(kinds[name], value) for name, value in values.items()}
        self.found.compared["values"] += len(true)
        for name, text in shown.items():
            if true.get(name) != text:
                detail = f"{name}={text}, truly {true.get(name, 'not there')}"
                self._add(WRONG_VALUE, event.line, detail)
        given = self.truth.arguments
        for name in true.keys() - shown.keys() - given:
            if not kinds[name].members:
                self._add(MISSING_VALUE, event.line, name)


def _shown(kind: Type, value: Value) -> str:
    """A value as the debugger writes it."""
    if kind.item:
        return f"[{', '.join(str(int(each)) for each in value)}]"
    if kind is ADDRESS:
        return checksum(Address(int(value).to_bytes(20, "big")))
    if kind is BOOL:
        return str(value).lower()
    return decimal_text(scaled(kind, value)) if kind is DECIMAL else str(value)
