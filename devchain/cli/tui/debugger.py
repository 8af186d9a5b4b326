"""The debugger on a terminal: source, call stack, opcodes, variables, EVM stack and memory.

A Textual program, thin: `stepping` moves and `views` says what there is to show. Text that others
wrote (sources, names, strings) is escaped and never taken for markup.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from devchain.contracts.code_map import SourceFile
from devchain.contracts.source_parser import pieces
from devchain.contracts.sources import stale_notice
from devchain.errors import InvalidInput
from devchain.source.follow import lines_of
from devchain.source.steps import (
    Breakpoint,
    Debugger,
    StackFrame,
    call_stack,
    cut_notice,
    local_variables,
    operand,
    outcome,
    source_title,
    storage_since,
    without_location,
)
from devchain.source.trace import Message
from devchain.text import printable

TAB = "    "
MAX_HIGHLIGHTED = 200_000
"""Characters of a source that is highlighted; of a longer one the highlighting takes too long."""

WIDE = 140
LOW = 20
"""Rows of a terminal below which the title has one."""

SMALL = 2**64
HASH = re.compile(r"(0x\w{8})\w{48,52}(\w{4})")
ADDRESS = re.compile(r"(0x\w{4})\w{32}(\w{4})\b")

HEADING, FAINT, NAME = "bold $primary", "$text 60%", "$text-accent"
CURRENT, RANGE, CHANGED = "on $primary-muted", "bold on $primary", "bold $text-warning"
COLORS = {
    "comment": FAINT,
    "keyword": "$text-accent",
    "number": "$text-warning",
    "text": "$text-success 90%",
    "type": "bold",
}
BAD, GOOD = "bold $text-error", "$text-success"


class Key(NamedTuple):
    """Keys, those that do the same backward or the opposite, and their action.

    `shown` and `text` are a row of the help, `short` is what the last line calls it.
    """

    keys: str
    back: str
    action: str
    shown: str = ""
    short: str = ""
    text: str = ""


KEYS = (
    Key("s,right", "S,left", "move('line', {})", "s S", "step", "to the next line, into functions"),
    Key("n", "N", "move('over', {})", "n N", "next", "to the next line, over functions it calls"),
    Key("f", "F", "move('out', {})", "f F", "out", "out of this function; back: to its call"),
    Key("i", "I", "move('opcode', {})", "i I", "opcode", "to the next opcode"),
    Key("o", "O", "move('over_opcode', {})", "o O", "", "to the next opcode, over calls"),
    Key("c", "C", "continue({})", "c C", "continue", "to the next breakpoint, or the end"),
    Key("x", "X", "failure({})", "x X", "failure", "to the failure; back: to one that was caught"),
    Key("g,home", "G,end", "move_far({})", "g G", "", "to the first line; G to the end"),
    Key("b", "", "toggle_line", "b", "break", "set or remove a breakpoint at the cursor's line"),
    Key("B", "", "prompt", "B", "", "at a line or opcode: 17, Vault.sol:17, SSTORE, LOG*"),
    Key("u", "d", "frame({})", "u d", "", "look at the caller of a function, and back down"),
    Key("up", "down", "cursor({})", "↑ ↓", "", "move the cursor in the source"),
    Key("tab", "", "pane", "Tab", "", "variables, EVM stack, memory; PgUp and PgDn scroll them"),
    Key("pageup", "pagedown", "page({})"),
    Key("w", "", "width", "w", "", "source and title in the whole width, and back"),
    Key("t", "", "colours", "t", "", "dark or light colours"),
    Key("question_mark", "", "help", "?", "help", "this help"),
    Key("q", "", "quit", "q", "quit", "leave the debugger"),
    Key("escape", "", "cancel"),
)

SHORT_HELP = " " + "  ".join(f"{key.shown[0]} {key.short}" for key in KEYS if key.short)


class Pane(Widget):
    """Lines below a title, of which those around one of them are shown."""

    DEFAULT_CSS = """
    Pane { text-wrap: nowrap; text-overflow: ellipsis; width: 1fr; height: 1fr; }
    """

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self._title = Content("")
        self._total = 0
        self._line_at: Callable[[int], Content] = lambda _: Content("")
        self._center: int | None = None
        self._first = 0

    def show(
        self,
        title: Content,
        total: int,
        line_at: Callable[[int], Content],
        center: int | None = None,
    ) -> None:
        """Show other lines, those around line `center`, or from where they were scrolled to.

        Lines are made when they are shown.
        """
        self._title, self._total, self._line_at, self._center = title, total, line_at, center
        self.refresh()

    def page(self, direction: int) -> None:
        self._first += direction * max(1, self.size.height - 2)
        self.refresh()

    def render(self) -> Content:
        height = max(0, self.size.height - 1)
        first = self._first if self._center is None else self._center - height // 2
        self._first = first = max(0, min(first, self._total - height))
        shown = map(self._line_at, range(first, min(first + height, self._total)))
        return Content("\n").join([self._title, *shown])

    def filled(self, line: Content, style: str) -> Content:
        """A line with a background as wide as the pane."""
        return line.pad_right(max(0, self.size.width - line.cell_length)).stylize_before(style)


class Help(ModalScreen[None]):
    """The keys and what they do."""

    BINDINGS: ClassVar = [Binding("escape,q,question_mark,enter,space", "close", "Close")]

    def compose(self) -> ComposeResult:
        rows = [Content.styled("Keys: the capital letter does the same backward", HEADING)]
        rows += [Content.assemble((f"  {it.shown:<5}", "bold"), it.text) for it in KEYS if it.text]
        rows.append(Content.styled("Esc closes this", FAINT))
        yield Static(Content("\n").join(rows), id="help")

    def action_close(self) -> None:
        self.dismiss()


ARTIFACTS_OPTION = "--artifacts PATH"
"""The option of commands that names the artifacts of contracts."""


class DebuggerApp(App[None]):
    """The program: one screen, whose panes are written anew after each key."""

    CSS = """
    #header, #status, #keys { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    #header { background: $primary; color: $text; height: auto; max-height: 2; text-wrap: wrap; }
    #keys { color: $text-muted; }
    #prompt { display: none; height: 1; border: none; padding: 0; }
    #prompt.open { display: block; }
    #upper { height: 3fr; }
    #lower { height: 2fr; min-height: 7; }
    #source { width: 5fr; }
    #side { width: 3fr; border-left: solid $panel; }
    #calls { height: 2fr; }
    #opcodes { height: 3fr; }
    #lower Pane { display: none; }
    #lower Pane.shown { display: block; }
    .-wide #variables { display: block; }
    .-whole #side { display: none; }
    .-low #header { max-height: 1; }
    .-whole #header { max-height: 100%; }
    .-whole #source { text-wrap: wrap; }
    .-wide #stack.shown, .-wide #memory.shown { border-left: solid $panel; }
    Help { align: center middle; }
    #help { width: 70; height: auto; padding: 0 2; background: $surface; border: round $primary; }
    """
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None
    TITLE = "devchain debug"

    BINDINGS: ClassVar = [
        Binding(keys, key.action.format(is_back), show=False, priority=keys == "tab")
        for key in KEYS
        for keys, is_back in ((key.keys, False), (key.back, True))
        if keys
    ]

    def __init__(self, debugger: Debugger, artifacts_option: str = ARTIFACTS_OPTION) -> None:
        super().__init__()
        self._artifacts_option = artifacts_option
        self._debugger = debugger
        self._execution = debugger.execution
        self._panes = {name: Pane(name) for name in ("variables", "stack", "memory")}
        self._source, self._calls, self._opcodes = Pane("source"), Pane("calls"), Pane("opcodes")
        self._header = Static(id="header")
        self._status = Static(id="status")
        self._prompt = Input(placeholder="17, Vault.sol:17, SSTORE, LOG*", id="prompt")
        self._shown = "variables"
        self._frame = 0
        self._cursor: int | None = None
        self._texts: dict[int, list[Content]] = {}
        self._step = self._last_step = debugger.step

    def compose(self) -> ComposeResult:
        yield self._header
        with Horizontal(id="upper"):
            yield self._source
            with Vertical(id="side"):
                yield self._calls
                yield self._opcodes
        with Horizontal(id="lower"):
            yield from self._panes.values()
        yield self._status
        yield self._prompt
        yield Static(Content.styled(SHORT_HELP, FAINT), id="keys")

    def on_mount(self) -> None:
        missing = "no source is known: opcodes only; --artifacts names the project"
        self._show("" if self._execution.has_sources else missing)

    # Keys

    def action_move(self, move: str, back: bool) -> None:  # as Textual passes it
        moved = getattr(self._debugger, move)(back=back)
        self._moved("" if moved else "this is the first step" if back else "this is the last step")

    def action_continue(self, back: bool) -> None:  # as Textual passes it
        moved = self._debugger.continue_(back=back)
        where, end = ("before", "first") if back else ("after", "last")
        self._moved("" if moved else f"no breakpoint {where} that: at the {end} step")

    def action_failure(self, back: bool) -> None:  # as Textual passes it
        moved = self._debugger.failure(back=back)
        note = ""
        if not moved and (back or self._execution.failure is None):
            note = "nothing has failed before that" if back else "the execution has not failed"
        elif not back and self._execution.failures[0] != self._debugger.step:
            note = "X goes to a failure before that, which was caught"
        self._moved(note)

    def action_width(self) -> None:
        self.screen_stack[0].toggle_class("-whole")
        self.call_after_refresh(self._show)

    def action_move_far(self, to_end: bool) -> None:  # as Textual passes it
        (self._debugger.end if to_end else self._debugger.start)()
        self._moved()

    def action_toggle_line(self) -> None:
        location = self._current_frame().location
        if location is None:
            self._show("there is no source here: B sets a breakpoint at an opcode")
            return
        self._set_breakpoint(lambda: Breakpoint(location.path, self._cursor or location.line))

    def action_prompt(self) -> None:
        self._prompt.value = ""
        self._prompt.add_class("open")
        self._prompt.focus()

    def action_cancel(self) -> None:
        self._prompt.remove_class("open")
        self.set_focus(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.action_cancel()
        self._set_breakpoint(lambda: self._debugger.parse_breakpoint(event.value))

    def _set_breakpoint(self, wanted: Callable[[], Breakpoint]) -> None:
        debugger = self._debugger
        try:
            breakpoint_ = wanted()
            if breakpoint_ in debugger.breakpoints:
                debugger.toggle(breakpoint_)
                self._show(f"breakpoint removed from {breakpoint_}")
                return
            nearest = debugger.nearest_breakpoint(breakpoint_)
        except InvalidInput as error:
            self._show(str(error))
            return
        debugger.breakpoints.add(nearest)
        note = f"breakpoint set at {nearest}"
        if nearest != breakpoint_:
            note += f": no code begins at line {breakpoint_.line}"
        if not debugger.is_reached(nearest):
            note += ", which this execution does not reach"
        self._show(note)

    def action_frame(self, down: bool) -> None:  # as Textual passes it
        frames = call_stack(self._execution, self._debugger.step)
        self._frame = max(0, min(self._frame + (-1 if down else 1), len(frames) - 1))
        self._cursor = None
        self._show()

    def action_cursor(self, down: bool) -> None:  # as Textual passes it
        location = self._current_frame().location
        if location:
            last = len(self._lines(location.file))
            line = (self._cursor or location.line) + (1 if down else -1)
            self._cursor = max(1, min(line, last))
            self._show()

    def action_pane(self) -> None:
        names = list(self._panes)
        if self._is_wide:
            names.remove("variables")  # which is always there
        index = names.index(self._shown) + 1 if self._shown in names else 0
        self._shown = names[index % len(names)]
        self._show()

    def action_page(self, down: bool) -> None:  # as Textual passes it
        self._panes[self._shown].page(1 if down else -1)

    def action_colours(self) -> None:
        self.theme = "textual-light" if self.current_theme.dark else "textual-dark"
        self._texts.clear()
        self._show()

    def action_help(self) -> None:
        self.push_screen(Help())

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    # Panes

    @property
    def _is_wide(self) -> bool:
        return self.size.width >= WIDE

    def _moved(self, note: str = "") -> None:
        self._frame, self._cursor = 0, None
        self._last_step, self._step = self._step, self._debugger.step
        self._show(note)

    def _current_frame(self) -> StackFrame:
        return call_stack(self._execution, self._debugger.step)[self._frame]

    def _show(self, note: str = "") -> None:
        is_wide = self._is_wide
        self._show_header()
        self.screen_stack[0].set_class(is_wide, "-wide")
        self.screen_stack[0].set_class(self.size.height < LOW, "-low")
        if is_wide and self._shown == "variables":
            self._shown = "stack"
        for name, pane in self._panes.items():
            pane.set_class(name == self._shown or (is_wide and name == "variables"), "shown")
        frames = call_stack(self._execution, self._debugger.step)
        self._frame = min(self._frame, len(frames) - 1)
        frame = frames[self._frame]
        self._show_source(frame)
        self._show_calls(frames)
        self._show_opcodes(frame)
        self._show_variables(frame)
        self._show_stack(frame)
        self._show_memory(frame)
        self._show_status(note)

    def _show_header(self) -> None:
        trace = self._execution.trace
        notice = cut_notice(self._execution)
        cut = f" · {notice}" if notice else ""
        title = HASH.sub(lambda match: f"{match[1]}…{match[2]}", trace.subject.title)
        text = printable(f"{title} · {outcome(self._execution)}{cut}")
        is_whole = self.screen_stack[0].has_class("-whole")
        shown = text if is_whole else ADDRESS.sub(r"\1…\2", text)
        self._header.update(Content.styled(f" {shown}", "bold"))

    def _show_status(self, note: str) -> None:
        step = self._execution.steps[self._debugger.step]
        where = f"{printable(step.op)} · gas {step.gas:,} -{step.cost:,} · depth {step.depth}"
        status = Content.assemble(
            (f" step {self._debugger.step:,}/{self._execution.last:,}", "bold"),
            f" · {where}",
            (f" · {printable(step.error)}" if step.error else "", BAD),
        )
        self._status.update(Content.styled(f" {printable(note)}", CHANGED) if note else status)

    def _show_source(self, frame: StackFrame) -> None:
        location = frame.location
        if location is None:
            message = self._execution.messages.of_step[frame.step]
            missing = textwrap.wrap(printable(without_location(self._execution, frame)), 46)
            lines = [*missing, "", *self._why_no_source(message)]
            texts = list(map(_faint, lines))
            self._source.show(_title("Source"), len(texts), texts.__getitem__)
            return
        texts = self._lines(location.file)
        first, last = lines_of(location)
        marked = {
            breakpoint_.line
            for breakpoint_ in self._debugger.breakpoints
            if breakpoint_.path == location.path
        }
        cursor = self._cursor or location.line

        def line_at(index: int) -> Content:
            number = index + 1
            text = texts[index]
            if number == location.line:
                text = _with_range(location.file, number, text, location.span)
            gutter = Content.assemble(
                ("●" if number in marked else " ", BAD),
                ("▶" if number == location.line else "-" if number == cursor else " ", HEADING),
                (f"{number:>4} ", "bold" if number == cursor else FAINT),
            )
            line = gutter + text
            return self._source.filled(line, CURRENT) if first <= number <= last else line

        title = _title(source_title(self._execution, frame, is_innermost=not self._frame))
        self._source.show(title, len(texts), line_at, cursor - 1)

    def _why_no_source(self, message: Message) -> Iterator[str]:
        code_map = self._execution.code_map(message)
        if code_map and code_map.stale:
            yield from textwrap.wrap(stale_notice(code_map.stale), 46)
            yield ""
        if self._execution.has_sources:
            yield "s goes on to the next line that has one,"
            yield "i steps through the opcodes."
        elif self._execution.has_source(message):
            yield "No statement ran. i steps through the opcodes,"
            has_failed = self._execution.failure is not None
            yield "x goes to where it failed." if has_failed else "G goes to the end."
        else:
            yield "The debugger steps through opcodes."
            yield "Run it in the project's folder, or name the"
            yield f"compiled project: {self._artifacts_option}"

    def _lines(self, file: SourceFile) -> list[Content]:
        if id(file) not in self._texts:
            text = "\n".join(map(_display, file.text.split("\n")))
            content = Content(text)
            if len(text) <= MAX_HIGHLIGHTED:
                colored = pieces(text, is_vyper=file.is_vyper)
                content = Content.assemble(
                    *((piece, COLORS.get(kind, "")) for piece, kind in colored)
                )
            lines = content.split("\n", allow_blank=True)
            self._texts[id(file)] = list(lines)[: text.count("\n") + 1]
        return self._texts[id(file)]

    def _show_calls(self, frames: list[StackFrame]) -> None:
        lines = [
            Content.assemble(
                ("▶" if number == self._frame else " ", HEADING),
                (f"{call.location.line if call.location else '':>4} ", FAINT),
                (printable(call.title), "bold" if number == self._frame else ""),
            )
            for number, call in enumerate(frames)
        ]
        self._calls.show(_title("Call stack"), len(lines), lines.__getitem__, self._frame)

    def _show_opcodes(self, frame: StackFrame) -> None:
        steps = self._execution.steps

        def line_at(index: int) -> Content:
            step = steps[index]
            pushed = operand(self._execution, index)
            data = f" 0x{pushed.hex()}" if pushed else ""
            is_here = index == frame.step
            line = Content.assemble(
                ("▶" if is_here else " ", HEADING),
                (f"{step.pc:>5} ", FAINT),
                (printable(step.op), NAME),
                data,
            )
            return self._opcodes.filled(line, CURRENT) if is_here else line

        self._opcodes.show(_title("Opcodes"), len(steps), line_at, frame.step)

    def _show_variables(self, frame: StackFrame) -> None:
        lines = []
        if frame.arguments is None:
            lines.append(_faint(f"{printable(frame.name)}: arguments not known"))
        elif frame.arguments:
            lines.append(_faint(f"arguments of {printable(frame.name)}"))
        lines += [_row(name, value) for name, value in frame.named_arguments]
        if values := local_variables(self._execution, frame):
            lines.append(_faint("local variables"))
            lines += [_row(name, value) for name, value in values]
        stored = storage_since(self._execution, self._debugger.step, self._last_step)
        for contract, slots in stored:
            lines.append(_faint(f"storage of {printable(contract)}"))
            lines += [_row(slot.name, slot.now, slot.before, is_new=slot.is_new) for slot in slots]
        lines = lines or [_faint("no arguments, local variables or changed storage here")]
        title = self._tabs("variables", "Variables")
        self._panes["variables"].show(title, len(lines), lines.__getitem__)

    def _show_stack(self, frame: StackFrame) -> None:
        words = self._execution.steps[frame.step].stack
        before = self._execution.steps[self._last_step].stack

        def line_at(position: int) -> Content:
            index = len(words) - 1 - position
            word = words[index]
            text = f"0x{word:x}" if word < SMALL else f"0x{word:064x}"
            is_new = index >= len(before) or before[index] != word
            return Content.assemble(
                (f" {position:>3} ", FAINT),
                (text, CHANGED if is_new else ""),
                (f"  {word:,}" if 9 < word < SMALL else "", FAINT),
            )

        title = self._tabs("stack", f"Stack ({len(words)})")
        self._panes["stack"].show(title, len(words), line_at)

    def _show_memory(self, frame: StackFrame) -> None:
        memory = self._execution.messages.of_step[frame.step].memory(frame.step)
        size, group = (32, 4) if self._panes["memory"].size.width >= 110 else (16, 2)

        def line_at(index: int) -> Content:
            part = memory[index * size : (index + 1) * size]
            text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
            return Content.assemble(
                (f" {index * size:>5x}  ", FAINT),
                (f"{part.hex(' ', group):<{size * 2 + size // group}}", FAINT * (not any(part))),
                (f" {text}", FAINT),
            )

        title = self._tabs("memory", f"Memory ({len(memory):,} bytes)")
        self._panes["memory"].show(title, -(-len(memory) // size), line_at)

    def _tabs(self, name: str, title: str) -> Content:
        others = [other for other in self._panes if other != name]
        if self._is_wide:
            others = [other for other in others if "variables" not in {other, name}]
        hint = f"   Tab: {', '.join(others)}" if others else ""
        return Content.assemble((f" {title}", HEADING), (hint, FAINT))


def run_debugger(debugger: Debugger, option: str = ARTIFACTS_OPTION) -> None:
    """Run the program until the user quits it; `option` is the one that names artifacts."""
    DebuggerApp(debugger, option).run()


def _title(text: str) -> Content:
    return Content.styled(f" {printable(text)}", HEADING)


def _faint(text: str) -> Content:
    return Content.styled(f" {text}", FAINT)


def _row(name: str, now: str, before: str = "", *, is_new: bool = False) -> Content:
    arrow = [(f"{printable(before)} → ", FAINT)] if before else []
    value = (printable(now), CHANGED if is_new else "")
    return Content.assemble((f"   {printable(name)}", NAME), " = ", *arrow, value)


def _display(line: str) -> str:
    return printable(line.rstrip("\r").replace("\t", TAB))


def _with_range(file: SourceFile, number: int, text: Content, span: tuple[int, int]) -> Content:
    line = file.text_of_line(number)
    start = file.column(span[0]) - 1
    last = max(span[0], span[1] - 1)
    end = file.column(last) if file.line(last) == number else len(line)
    first, after = len(_display(line[:start])), len(_display(line[:end]))
    return text.stylize(RANGE, first, after)
