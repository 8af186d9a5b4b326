"""Programs on a pseudo terminal, with the screen that they have drawn."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

DEADLINE = 60.0
"""Seconds after which a screen that does not come fails the test."""

SEQUENCE = re.compile(
    r"\x1b\[(?P<row>\d*);?(?P<column>\d*)H"  # cursor to a place
    r"|\x1b\[[0-9;?<>=$ ]*[@-~]"  # any other control sequence
    r"|\x1b[\]P][^\x07\x1b]*(?:\x07|\x1b\\)"  # operating system commands
    r"|\x1b[^\[\]P]"
    r"|(?P<newline>\r?\n)|(?P<return>\r)|(?P<text>[^\x1b\r\n]+)",
)


CONTROLLING = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Runs a program with its terminal as the one that Ctrl-C and new sizes come from."""


class Terminal:
    """A program that runs on a terminal of some columns and rows."""

    def __init__(
        self, command: Sequence[str], folder: Path, columns: int = 80, rows: int = 24
    ) -> None:
        """Start it."""
        self._rest = ""
        self.written = ""
        """Everything that the program has written."""
        self._file, program = pty.openpty()
        self.modes = termios.tcgetattr(self._file)
        self.resize(columns, rows)
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        for each in ("COLUMNS", "LINES", "NO_COLOR"):
            environment.pop(each, None)
        self._process = subprocess.Popen(
            [sys.executable, "-c", CONTROLLING, *command],
            stdin=program,
            stdout=program,
            stderr=program,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        os.close(program)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(DEADLINE)
        os.close(self._file)

    @property
    def screen(self) -> str:
        """What is on the screen, as lines."""
        return "\n".join("".join(each).rstrip() for each in self._rows)

    def resize(self, columns: int, rows: int) -> None:
        """Set the size; the screen is empty until the program draws it."""
        self._rows = [[" "] * columns for _ in range(rows)]
        self._row = self._column = 0
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._file, termios.TIOCSWINSZ, size)

    @property
    def is_restored(self) -> bool:
        """Whether modes, cursor and screen of the terminal are as they were at the start."""
        return termios.tcgetattr(self._file) == self.modes and all(
            self.written.rfind(after) >= self.written.rfind(before)
            for before, after in (("\x1b[?1049h", "\x1b[?1049l"), ("\x1b[?25l", "\x1b[?25h"))
        )

    def press(self, keys: str) -> None:
        """Send keys."""
        os.write(self._file, keys.encode())

    def send_signal(self, number: int) -> None:
        """Send a signal to the program."""
        self._process.send_signal(number)

    def wait_until_stopped(self) -> None:
        """Wait until the program is stopped, as a shell does after Ctrl-Z."""
        os.waitid(os.P_PID, self._process.pid, os.WSTOPPED)

    def wait_for_text(self, *texts: str) -> None:
        """Read until the program has written these texts, one after the other, from now on."""
        place = len(self.written)
        for each in texts:
            while self.written.find(each, place) < 0:
                assert self._read(DEADLINE), f"{each!r} was not written"
            place = self.written.find(each, place) + len(each)

    def wait_for(self, *texts: str) -> str:
        """Read until all texts are on the screen; returns it."""
        end = time.monotonic() + DEADLINE
        while not all(each in self.screen for each in texts):
            left = end - time.monotonic()
            if left <= 0 or not self._read(left):
                raise AssertionError(f"{texts} did not appear on the screen:\n{self.screen}")
        return self.screen

    def wait_for_exit(self) -> int:
        """Read until the program ends; its exit code."""
        end = time.monotonic() + DEADLINE
        while self._read(max(0.0, end - time.monotonic())):
            assert time.monotonic() < end, f"the program goes on:\n{self.screen}"
        return self._process.wait(DEADLINE)

    def _read(self, seconds: float) -> bool:
        """Read what the program has written; returns whether there was something."""
        ready, _, _ = select.select([self._file], [], [], seconds)
        try:
            written = os.read(self._file, 65536) if ready else b""
        except OSError:  # the program has ended
            return False
        text = self._rest + written.decode(errors="replace")
        self.written += written.decode(errors="replace")
        self._draw(text)
        return bool(written)

    def _draw(self, text: str) -> None:
        place = 0
        while match := SEQUENCE.match(text, place):
            place = match.end()
            if match["row"] is not None:
                self._row, self._column = int(match["row"] or 1) - 1, int(match["column"] or 1) - 1
            elif match["newline"]:
                self._row, self._column = self._row + 1, 0
                if self._row >= len(self._rows):
                    self._rows = [*self._rows[1:], [" "] * len(self._rows[0])]
                    self._row = len(self._rows) - 1
            elif match["return"]:
                self._column = 0
            for each in match["text"] or "":
                if 0 <= self._row < len(self._rows) and self._column < len(self._rows[0]):
                    self._rows[self._row][self._column] = each
                self._column += 1
        self._rest = text[place:]
