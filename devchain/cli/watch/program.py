"""`devchain watch` on a terminal: Rich's live view, keys, and a thread that polls the node."""

from __future__ import annotations

import io
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from contextvars import copy_context
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from devchain.cli.output import BAD, in_encoding
from devchain.cli.watch.feed import Target
from devchain.cli.watch.keyboard import Keyboard
from devchain.cli.watch.screen import Screen
from devchain.cli.watch.watcher import Watcher
from devchain.clock import Clock
from devchain.errors import DevchainError
from devchain.text import printable

FRAME_SECONDS = 0.15
"""The shortest time between two pictures, however much happens."""

IDLE_SECONDS = 1.0
"""The longest one: ages are written anew."""

MAX_SHARE = 4.0
"""A poll waits for at least so many times as long as the one before took."""


class Program:
    """The program: it draws what a thread of its own has read, and hands it what keys ask for."""

    def __init__(
        self,
        watcher: Watcher,
        url: str,
        shown_url: str,
        interval: float,
        artifacts: Path | None = None,
    ) -> None:
        """Watch with polls every `interval` seconds; pages are read from the node at `url`.

        The debugger's sources come from the contracts at `artifacts`, or of the project here.
        """
        self._watcher = watcher
        self._url = url
        self._artifacts = artifacts
        self._interval = interval
        self._console = Console(file=sys.stdout, highlight=False, emoji=False, markup=False)
        stdout = sys.stdout  # the thread redirects it while it reads a page
        self._screen = Screen(shown_url, encoded=lambda text: in_encoding(text, stdout))
        self._keyboard = Keyboard()
        self._error: BaseException | None = None
        self._jobs: queue.Queue[Target] = queue.Queue()
        self._results: queue.Queue[Callable[[], None]] = queue.Queue()

    def run(self) -> None:
        """Run until q or Ctrl-C; raises `DevchainError` if the node refuses the first poll."""
        self._screen.update(self._watcher.poll())
        context = copy_context()
        thread = threading.Thread(target=context.run, args=(self._work,), daemon=True)
        thread.start()
        while not self._screen.is_done:
            try:
                self._run_screen()
            except KeyboardInterrupt:
                return
            if self._keyboard.is_stopped:
                _stop_process()
            elif self._screen.debugged is not None:
                self._run_debugger(self._screen.debugged)
                self._screen.debugged = None

    def _run_screen(self) -> None:
        live = Live(
            console=self._console,
            screen=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        screen = self._screen
        with self._keyboard, live:
            while not (screen.is_done or screen.debugged or self._keyboard.is_stopped):
                drawn_at = time.monotonic()
                self._draw(live)
                keys = self._keyboard.read(IDLE_SECONDS)
                for each in keys:
                    screen.press(each)
                left = FRAME_SECONDS - (time.monotonic() - drawn_at)
                if not keys and left > 0:
                    for each in self._keyboard.read(left):
                        screen.press(each)
                if self._error is not None:
                    raise self._error
                while not self._results.empty():
                    self._results.get()()
                if screen.wanted is not None:
                    self._jobs.put(screen.wanted)
                    screen.wanted = None

    def _draw(self, live: Live) -> None:
        width, height = self._console.size
        lines = self._screen.lines(width, height, Clock().now())
        if self._screen.wanted is not None:  # a page is wrapped anew
            self._jobs.put(self._screen.wanted)
            self._screen.wanted = None
        live.update(Group(*lines), refresh=True)

    # In the thread that polls

    def _work(self) -> None:
        try:
            self._poll()
        except BaseException as error:  # noqa: BLE001  # the other thread raises it
            self._error = error
            self._keyboard.wake()

    def _poll(self) -> None:
        while True:
            started = time.monotonic()
            snapshot = self._watcher.poll()
            self._post(lambda snapshot=snapshot: self._screen.update(snapshot))  # type: ignore[misc]
            took = time.monotonic() - started
            until = time.monotonic() + max(self._interval, MAX_SHARE * took)
            while (left := until - time.monotonic()) > 0:
                try:
                    self._read_page(self._jobs.get(timeout=left))
                except queue.Empty:
                    break

    def _post(self, result: Callable[[], None]) -> None:
        self._results.put(result)
        self._keyboard.wake()

    def _read_page(self, target: Target) -> None:
        lines = self._inspect(target)

        def show() -> None:
            page = self._screen.page
            if page is not None and page.target == target:
                page.lines = lines

        self._post(show)

    def _inspect(self, target: Target) -> list[Text]:
        from devchain.cli.commands.inspect.block import block
        from devchain.cli.commands.inspect.state import account
        from devchain.cli.commands.inspect.transaction import tx

        commands: dict[str, Callable[..., None]] = {"tx": tx, "block": block, "account": account}
        page = _Page()
        try:
            with redirect_stdout(page), redirect_stderr(page):
                commands[target.kind](target.name, url=self._url)
        except DevchainError as error:
            return [Text(printable(str(error)), BAD)]
        return [Text.from_ansi(each) for each in page.getvalue().splitlines()]

    def _run_debugger(self, tx_hash: str) -> None:
        from devchain.cli.commands.debug import debug

        try:
            debug(tx_hash, artifacts=self._artifacts, url=self._url)
        except DevchainError as error:
            self._screen.note = str(error)


class _Page(io.StringIO):
    """A stream that commands write to as to a terminal: wrapped, and with colors."""

    def isatty(self) -> bool:
        return True


def _stop_process() -> None:
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTSTP)
    signal.signal(signal.SIGTSTP, before)
