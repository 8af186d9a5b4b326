"""Keys that are pressed on a terminal, read without waiting for the end of a line."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType
from typing import Any, Self

KEYS = {
    "\x1b[A": "up", "\x1bOA": "up", "\x1b[B": "down", "\x1bOB": "down",
    "\x1b[C": "right", "\x1bOC": "right", "\x1b[D": "left", "\x1bOD": "left",
    "\x1b[5~": "page up", "\x1b[6~": "page down",
    "\x1b[H": "home", "\x1bOH": "home", "\x1b[1~": "home", "\x1b[7~": "home",
    "\x1b[F": "end", "\x1bOF": "end", "\x1b[4~": "end", "\x1b[8~": "end",
    "\x1b": "escape", "\r": "enter", "\n": "enter", "\x7f": "backspace", "\x08": "backspace",
}  # fmt: skip
"""Keys by what terminals send for them: xterm's sequences, and those of rxvt and the console."""

SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1bO.|\x1b|[^\x1b]", re.DOTALL)
UNFINISHED = re.compile(r"\x1b(?:\[[0-9;?]*|O)?\Z")
REST_SECONDS = 0.05
"""How long the rest of an escape sequence may take; Esc alone has none."""


class Keyboard:
    """Keys from standard input, if that is a terminal; waiting ends also with `wake`.

    While the context lasts keys are not echoed and reach the program one by one; Ctrl-C stays a
    signal. Leaving restores the terminal. On systems without termios there are no keys.
    """

    def __init__(self) -> None:
        """Read nothing yet."""
        self._file = _terminal_input()
        self._before: list[Any] = []
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(self._writer, False)
        self._signals: dict[int, Any] = {}
        self.is_stopped = False
        """Whether Ctrl-Z was pressed."""

    def __enter__(self) -> Self:
        """Set the terminal so that each key is read at once."""
        self.is_stopped = False
        if self._file is not None:
            import termios
            import tty

            self._before = termios.tcgetattr(self._file)
            tty.setcbreak(self._file, termios.TCSANOW)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        for name, handler in (("SIGWINCH", _ignore), ("SIGTSTP", self._stop), ("SIGTERM", _end)):
            if number := getattr(signal, name, None):
                self._signals[number] = signal.signal(number, handler)
        return self

    def __exit__(self, *_: object) -> None:
        """Set the terminal as it was."""
        for number, handler in self._signals.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(-1)
        if self._file is not None:
            import termios

            termios.tcsetattr(self._file, termios.TCSANOW, self._before)

    def wake(self) -> None:
        """End the waiting of `read`, from any thread."""
        with suppress(BlockingIOError):  # the pipe is full: the waiting will end
            os.write(self._writer, b"\0")

    def read(self, seconds: float) -> list[str]:
        """The keys pressed, as soon as there are any, or after so many seconds or `wake` none."""
        files = [self._reader, *([] if self._file is None else [self._file])]
        ready, _, _ = select.select(files, [], [], max(0, seconds))
        if self._reader in ready:
            os.read(self._reader, 4096)
        if self._file is None or self._file not in ready:
            return []
        text = self._read_text()
        while UNFINISHED.search(text) and select.select([self._file], [], [], REST_SECONDS)[0]:
            more = self._read_text()
            text += more
            if not more:
                break
        return list(_keys(text))

    def _read_text(self) -> str:
        try:
            data = os.read(self._file or 0, 1024)
        except OSError:
            data = b""
        if not data:
            self._file = None
        return data.decode("utf-8", "replace")

    def _stop(self, *_: object) -> None:
        self.is_stopped = True


def _keys(text: str) -> Iterator[str]:
    for each in SEQUENCE.findall(text):
        if each in KEYS:
            yield KEYS[each]
        elif each.isprintable():
            yield each


def _terminal_input() -> int | None:
    try:
        import termios  # noqa: F401  # not on Windows
    except ImportError:
        return None
    return sys.stdin.fileno() if sys.stdin.isatty() else None


def _ignore(*_: object) -> None:
    """Handle a signal that is only to end the waiting."""


def _end(number: int, _: FrameType | None) -> None:
    # End the program, with the terminal restored, as the signal alone would without.
    raise SystemExit(128 + number)
