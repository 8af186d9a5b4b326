"""The debugger's program, driven key by key."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import pytest

pytest.importorskip("textual")

from devchain.cli.tui.debugger import KEYS, DebuggerApp
from devchain.source.follow import Execution
from devchain.source.steps import Debugger
from tests.cli.tui.pictures import DOCS, PICTURES, draw, texts
from tests.source.executions import debugger_of, execution_of, line_of, lines, successful

SMALL = (80, 24)


def screens(
    debugger: Debugger, *keys: str, size: tuple[int, int] = SMALL, resized: Sequence[int] = ()
) -> list[str]:
    """The screen at the beginning, and after each key or keys with spaces between."""

    def read(app: DebuggerApp) -> str:
        rows = app.screen._compositor.render_strips()  # what is drawn
        return "\n".join("".join(each.text for each in row) for row in rows)

    async def run() -> list[str]:
        app = DebuggerApp(debugger)
        async with app.run_test(size=size) as pilot:
            if resized:
                await pilot.resize_terminal(*resized)
            await pilot.pause()
            found = [read(app)]
            for key in keys:
                await pilot.press(*key.split())
                await pilot.pause()
                found.append(read(app))
            return found

    return asyncio.run(run())


def last(debugger: Debugger, *keys: str, size: tuple[int, int] = SMALL) -> str:
    """The screen after these keys."""
    return screens(debugger, *keys, size=size)[-1]


def nested() -> Debugger:
    """A debugger at the first line of functions that call each other."""
    return debugger_of("solc-0.8", "nested_internal")


def places() -> list[str]:
    """Where the lines of `nested` are that are stepped through, `Structure.sol:17`."""
    debugger = nested()
    found = [line_of(debugger)]
    while debugger.line():
        found.append(line_of(debugger))
    return found


def number(place: str) -> int:
    """The number of a line."""
    return int(place.rpartition(":")[2])


class TestScreen:
    @pytest.mark.parametrize("size", [(40, 12), (80, 24), (150, 40)])
    def test_sizes(self, size: tuple[int, int]) -> None:
        """Every size shows the line and its number; a wide one variables and stack at once."""
        screen = last(nested(), "s", size=size)

        assert f"▶ {number(places()[1])}" in screen
        assert ("Variables" in screen and "Stack (" in screen) == (size[0] >= 140)

    @pytest.mark.parametrize("size", [(60, 20), (100, 24)])
    def test_title(self, size: tuple[int, int]) -> None:
        """Why it failed is in the title, shorter or on two rows where that is narrow."""
        rows = last(nested(), size=size).splitlines()
        title = "".join(f"{row.strip()} " for row in rows[:2])

        assert re.search(r"transaction 0x\w{8}…\w{4} · failed: two levels down", title)

    def test_no_arguments(self) -> None:
        """A function without arguments has no heading for them; nothing to show is said."""
        screen = last(debugger_of("solc-0.8", "checked_increment"))

        assert "arguments of" not in screen
        assert " no arguments, local variables or changed storage here" in screen

    def test_panes(self) -> None:
        """Tab shows variables, stack and memory in turn."""
        found = screens(nested(), "tab", "tab", "tab")

        titles = ["Variables ", "Stack (", "Memory (", "Variables "]
        assert all(title in screen for title, screen in zip(titles, found, strict=True))

    def test_memory_is_scrolled(self) -> None:
        """PgDn shows what is further on in memory, PgUp what was before."""
        found = screens(nested(), "x", "tab", "tab", "pagedown", "pageup")

        assert found[3] != found[4]
        assert found[3] == found[5]

    def test_help(self) -> None:
        """The help has all keys, and closes."""
        before, opened, closed = screens(nested(), "question_mark", "escape")

        assert all(key.text in opened for key in KEYS)
        assert closed == before


class TestKeys:
    def test_moves(self) -> None:
        """Keys move, capital letters backward."""
        first, call, inner = "total = 1;", "middle(amount);", "total += 1;"
        failure = "require(amount < 10,"
        moves = [
            *[("s", call), ("s", inner), ("S", call), ("left", first), ("right", call)],
            *[("s", inner), ("F", call), ("g", first), ("x", failure), ("G", ""), ("X", failure)],
            *[("g", first), ("n", call), ("N", first), ("i", first), ("I", first), ("o", first)],
        ]
        found = screens(nested(), *(key for key, _ in moves))

        for (key, line), screen in zip(moves, found[1:], strict=True):
            current = next((row for row in screen.splitlines() if "▶" in row[:3]), "")
            assert line in current, key

    def test_breakpoints(self) -> None:
        """A breakpoint at the cursor is marked, stops, and is removed by the same key."""
        debugger = nested()
        _, call, wanted, *_ = places()
        down = " ".join(["down"] * (number(wanted) - number(call)))
        found = screens(debugger, "s", down, "b", "c")

        assert f"breakpoint set at {wanted}" in found[-2]
        assert "●" in found[-2]
        assert f"▶ {number(wanted)}" in found[-1]
        assert "breakpoint removed" in last(debugger, "b")
        assert not debugger.breakpoints

    def test_breakpoint_that_is_typed(self) -> None:
        """B asks for a line or an opcode; Esc closes the question."""
        debugger = nested()
        found = screens(debugger, "B s s t o r e enter", "c", "C", "B escape")

        assert "breakpoint set at SSTORE" in found[1]
        assert "SSTORE · gas" in found[2]
        assert "no breakpoint before that: at the first step" in found[3]
        assert found[4].splitlines()[-1] == found[0].splitlines()[-1]

    def test_wrong_breakpoint(self) -> None:
        """What is no breakpoint is explained."""
        assert "is no breakpoint: write a line" in last(nested(), "B x - y enter")

    def test_breakpoint_without_code(self) -> None:
        """At a line without code it is set at the next one, and where there is none refused."""
        debugger = nested()
        found = screens(debugger, "B 1 enter", "B 9 9 9 enter")

        [breakpoint_] = debugger.breakpoints
        assert breakpoint_.line > 1
        assert f"set at {breakpoint_}: no code begins at line 1" in found[1]
        assert "no code begins at Structure.sol:999 or after it" in found[-1]

    def test_unreached_breakpoint(self) -> None:
        """One that the execution does not reach says so."""
        assert "does not reach" in last(nested(), "B c r e a t e enter")

    def test_ends(self) -> None:
        """At the ends a key says that there is nothing more."""
        debugger = nested()
        debugger.go_to(0)

        assert "this is the first step" in last(debugger, "I")
        assert "this is the last step" in last(debugger, "G", "i")
        assert "has not failed" in last(Debugger(successful("solc-0.8")), "x")

    def test_caught(self) -> None:
        """X goes back to a failure that was caught, and x says that there is one."""
        found = screens(debugger_of("solc-0.8", "send_bare"), "x", "X", "X", "x")

        assert "X goes to a failure before that" in found[1]
        assert "REVERT" in found[1]
        assert "received += msg.value" in found[2]
        assert "57 Greedy.receive" in found[2]
        assert "SSTORE · gas" in found[2]
        assert "nothing has failed before that" in found[3]
        assert found[4] == found[1]

    def test_width(self) -> None:
        """With w the source has the whole width, and long lines and titles go on in other rows."""
        debugger = debugger_of("solc-0.8", "two_contracts")
        before, wide, after = screens(debugger, "w", "w", size=(60, 24))
        whole = debugger.execution.location(debugger.step)
        assert whole is not None
        line = whole.file.text_of_line(whole.line)

        assert "Call stack" in before
        assert "Call stack" not in wide
        assert after == before
        joined = "".join(wide.split())
        assert "".join(line.split()) in joined
        assert "".join(line.split()) not in "".join(before.split())
        assert debugger.execution.reason.replace(" ", "") in joined

    def test_frames(self) -> None:
        """U looks at a caller: its line and its arguments; d goes back."""
        found = screens(nested(), "x", "u", "d")
        *_, call, failure, _ = places()

        assert call in found[2]
        assert "arguments of Structure.middle" in found[2]
        assert failure in found[3]


class TestSources:
    def test_without(self) -> None:
        """Without sources it says what to do, and steps through opcodes."""
        known = execution_of("solc-0.8", "proxy")
        debugger = Debugger(Execution(known.trace, type(known.registry)()))
        first, second = screens(debugger, "s")

        assert "No source of " in first
        assert "compiled project: --artifacts PATH" in first
        assert f"step 1/{debugger.execution.last}" in second
        assert "there is no source here" in last(debugger, "b")

    @pytest.mark.parametrize("build", ["solc-0.8", "solc-0.8-ir", "vyper-0.4"])
    def test_no_statement(self, build: str) -> None:
        """Where no statement ran it does not say that no source is known."""
        first, second = screens(debugger_of(build, "value_to_nonpayable"), "x")

        assert "Code of the compiler in " in first
        assert "x goes to where it failed." in first
        for shown in (first, second):
            assert "No source" not in shown
            assert "--artifacts" not in shown
        assert "pay" in second

    def test_vyper(self) -> None:
        """Sources of Vyper are shown, too."""
        assert "self.total = 1" in last(debugger_of("vyper-0.4", "nested_internal"))

    def test_hostile(self) -> None:
        """Nothing in a source or in a reason acts on the terminal, or is taken for markup."""
        debugger = nested()
        location = debugger.execution.location(debugger.step)
        assert location is not None
        file = location.file
        text = file.text
        try:
            object.__setattr__(file, "text", text.replace("total = 1;", "[red]\x1b[2J\u202e[/x]"))
            vars(file).pop("_lines", None)
            found = last(debugger)
        finally:
            object.__setattr__(file, "text", text)
            vars(file).pop("_lines", None)

        assert r"[red]\x1b[2J\u202e[/x]" in found
        assert "\x1b" not in found


class TestPictures:
    @pytest.mark.parametrize("name", PICTURES)
    def test_are_those_of_the_docs(self, name: str) -> None:
        """The pictures show what the program does: `python -m tests.cli.tui.pictures`."""
        written = (DOCS / f"{name}.svg").read_text(encoding="utf-8")

        assert texts(written) == texts(draw(*PICTURES[name]))


def test_lines_in_loops() -> None:
    """A loop is stepped through line by line, and its body is not marked with its head."""
    from tests.cli.tui.pictures import sale

    debugger = Debugger(sale())
    debugger.start()
    found = lines(debugger, "line")

    assert found.count("sum += rate;") == 40
    assert found.count("sum = sum.half();") == 1 + 1  # before the library and after it
