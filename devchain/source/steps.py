"""Moving through an execution: by opcodes, source lines and functions, forward and backward.

Every movement forward has its opposite: from a line start, one source line forward and one backward
ends where it began.
"""

from __future__ import annotations

import fnmatch
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from devchain.errors import InvalidInput
from devchain.source.follow import Execution, LineStart, lines_of

FILE_AND_LINE = re.compile(r"(?:(?P<path>.+):)?(?P<line>[0-9]{1,7})")
OPCODE = re.compile(r"[A-Z][A-Z0-9]*\*?")


@dataclass(frozen=True, slots=True, order=True)
class Breakpoint:
    """Where to stop: at a line of a source, or at an opcode (`SSTORE`, `LOG*`)."""

    path: str = ""
    line: int = 0
    opcode: str = ""

    def __str__(self) -> str:
        return self.opcode or f"{self.path}:{self.line}"


class Debugger:
    """A place in an execution, `step`, and movements from it; each returns whether it moved."""

    def __init__(self, execution: Execution) -> None:
        """Start at the first step."""
        self.execution = execution
        self.step = 0
        self.breakpoints: set[Breakpoint] = set()
        self._starts = execution.line_starts
        self._start_steps = [start.step for start in self._starts]

    def go_to(self, step: int) -> bool:
        """Go to a step; one that is out of range is the first or last."""
        target = max(0, min(step, self.execution.last))
        moved, self.step = target != self.step, target
        return moved

    # Opcodes

    def opcode(self, *, back: bool = False) -> bool:
        """Go to the next opcode."""
        return self.go_to(self.step + (-1 if back else 1))

    def over_opcode(self, *, back: bool = False) -> bool:
        """Go to the next opcode of this message, past the messages that it sends, or its sender."""
        of_step = self.execution.messages.of_step
        depth = of_step[self.step].depth
        return self._seek(lambda each: of_step[each].depth <= depth, back=back)

    # Source lines

    def line(self, *, back: bool = False) -> bool:
        """Go to the next line start, into functions; without sources to the next opcode."""
        if not self._starts:
            return self.opcode(back=back)
        found = self._start_before() if back else self._start_after()
        if found is None:
            return self.go_to(0 if back else self.execution.last)
        return self.go_to(found.step)

    def over(self, *, back: bool = False) -> bool:
        """Go to the next line of this function, past the functions it calls, or of a caller."""
        if not self._starts:
            return self.over_opcode(back=back)
        here = self._scoped_start(self.step)
        lines = list(self._lines_of_callers())
        if back:
            steps = [line.step for line in lines if line.step < self.step]
            return self.go_to(steps[-1] if steps else 0)
        for line in lines:
            if line.step > self.step and (here is None or line.key != here.key):
                return self.go_to(line.step)
        return self.go_to(self.execution.last)

    def out(self, *, back: bool = False) -> bool:
        """Go to where this function returns to, or back to where it was called."""
        execution = self.execution
        scope = execution.activation(self.step).named
        if back:
            return self.go_to(0 if scope.site is None else scope.site)
        callers = {each for each in scope.chain() if each is not scope}
        outside = self._first(
            range(self.step + 1, execution.last + 1),
            lambda each: execution.activation(each).named in callers,
        )
        if outside is None:
            return self.go_to(execution.last)
        caller = execution.activation(outside).named
        for index in range(outside, execution.last + 1):
            if execution.activation(index).named is not caller:
                break
            if execution.exact_position(index):
                return self.go_to(index)
        return self.go_to(outside)

    def _start_after(self) -> LineStart | None:
        index = bisect_right(self._start_steps, self.step)
        return self._starts[index] if index < len(self._starts) else None

    def _start_before(self) -> LineStart | None:
        index = bisect_left(self._start_steps, self.step)
        return self._starts[index - 1] if index else None

    def _scoped_start(self, step: int) -> LineStart | None:
        scope = self.execution.activation(step).named
        for index in range(bisect_right(self._start_steps, step) - 1, -1, -1):
            if self._starts[index].activation is scope:
                return self._starts[index]
            if self._starts[index].step < scope.first:
                break
        return None

    def _lines_of_callers(self) -> Iterator[LineStart]:
        chain = set(self.execution.activation(self.step).chain())
        last = None
        for start in self._starts:
            if start.activation in chain and start.key != last:
                yield start
                last = start.key

    # Breakpoints

    def parse_breakpoint(self, text: str) -> Breakpoint:
        """A breakpoint as people write it: `17`, `Vault.sol:17`, `SSTORE`, `LOG*`.

        A line without a file is one of the source at this step. Raises `InvalidInput`.
        """
        text = text.strip()
        if OPCODE.fullmatch(text.upper()) and not text.isdigit():
            opcode = text.upper()
            return Breakpoint(opcode="KECCAK256" if opcode == "SHA3" else opcode)
        match = FILE_AND_LINE.fullmatch(text)
        if match is None:
            raise InvalidInput(
                f"{text[:60]!r} is no breakpoint: write a line (17), a file and a line "
                "(Vault.sol:17) or an opcode (SSTORE, LOG*)"
            )
        return Breakpoint(self._path(match["path"]), int(match["line"]))

    def _path(self, text: str | None) -> str:
        if text is None:
            position = self.execution.position(self.step)
            if position is None:
                raise InvalidInput("there is no source here: write the file too, Vault.sol:17")
            return position.path
        paths = sorted({start.position.path for start in self._starts})
        found = [path for path in paths if f"/{path}".endswith(f"/{text}")]
        if len(found) == 1:
            return found[0]
        problem = "several sources end in" if found else "this execution runs no source"
        raise InvalidInput(f"{problem} {text[:60]!r}: give one of {', '.join(found or paths)}")

    def nearest_breakpoint(self, breakpoint_: Breakpoint) -> Breakpoint:
        """A breakpoint, or of a line at which nothing stops that of the next at which it may.

        Raises `InvalidInput` if there is none.
        """
        if breakpoint_.opcode:
            return breakpoint_
        path, line = breakpoint_.path, breakpoint_.line
        after = [each for each in self.execution.lines.get(path, ()) if each >= line]
        if not after:
            raise InvalidInput(f"no breakpoint is set: no code begins at {breakpoint_} or after it")
        return Breakpoint(path, min(after))

    def toggle(self, breakpoint_: Breakpoint) -> bool:
        """Set a breakpoint, or remove it; returns whether it is set."""
        self.breakpoints ^= {breakpoint_}
        return breakpoint_ in self.breakpoints

    def is_reached(self, breakpoint_: Breakpoint) -> bool:
        """Whether the execution ever stops at a breakpoint."""
        return next(self._stops({breakpoint_}), None) is not None

    def continue_(self, *, back: bool = False) -> bool:
        """Go to the next breakpoint; without one to the last step, or the first.

        Returns whether there was one.
        """
        stops = sorted(set(self._stops(self.breakpoints)))
        ahead = [stop for stop in stops if (stop < self.step if back else stop > self.step)]
        if not ahead:
            self.go_to(0 if back else self.execution.last)
            return False
        return self.go_to(ahead[-1 if back else 0])

    def _stops(self, breakpoints: Iterable[Breakpoint]) -> Iterator[int]:
        lines = {(each.path, each.line) for each in breakpoints if not each.opcode}
        patterns = [each.opcode for each in breakpoints if each.opcode]
        if lines:
            for start in self._starts:
                first, last = lines_of(start.position)
                span = range(first, last + 1)
                if start.is_fresh and any((start.position.path, line) in lines for line in span):
                    yield start.step
        if patterns:
            names = {step.op for step in self.execution.steps}
            wanted = {
                name for name in names for each in patterns if fnmatch.fnmatchcase(name, each)
            }
            for number, step in enumerate(self.execution.steps):
                if step.op in wanted:
                    yield number

    def runs(self, path: str, lines: range, *, back: bool = False) -> dict[int, int]:
        """The steps at which lines of a source run next, by line; backward: where they ran last.

        Forward it is, of lines that do not run again, the step at which they ran first.
        """
        if back:
            before = self._starts[: bisect_left(self._start_steps, self.step)]
            return self._first_runs(reversed(before), path, lines)
        after = self._starts[bisect_right(self._start_steps, self.step) :]
        return self._first_runs(self._starts, path, lines) | self._first_runs(after, path, lines)

    @staticmethod
    def _first_runs(starts: Iterable[LineStart], path: str, lines: range) -> dict[int, int]:
        steps: dict[int, int] = {}
        found: set[tuple[str, int]] = set()
        for start in starts:
            statement = start.key[1:]
            if not start.is_fresh or start.position.path != path or statement in found:
                continue
            found.add(statement)
            low, high = lines_of(start.position)
            for line in range(max(low, lines.start), min(high + 1, lines.stop)):
                steps.setdefault(line, start.step)
        return steps

    # Far

    def failure(self, *, back: bool = False) -> bool:
        """Go to where the execution failed first; stays if it did not.

        Backward: to the failure before this step, the end of a message that a contract caught.
        """
        found = self.execution.failure
        if back:
            before = [failure for failure in self.execution.failures if failure < self.step]
            found = before[-1] if before else None
        return found is not None and self.go_to(found)

    def start(self) -> bool:
        """Go to the first line, or the first step if no source is known."""
        return self.go_to(self._start_steps[0] if self._start_steps else 0)

    def end(self) -> bool:
        """Go to the last step."""
        return self.go_to(self.execution.last)

    def _seek(self, wanted: Callable[[int], bool], *, back: bool) -> bool:
        last = self.execution.last
        steps = range(self.step - 1, -1, -1) if back else range(self.step + 1, last + 1)
        found = self._first(steps, wanted)
        return self.go_to((0 if back else last) if found is None else found)

    @staticmethod
    def _first(steps: Iterable[int], wanted: Callable[[int], bool]) -> int | None:
        return next((step for step in steps if wanted(step)), None)
