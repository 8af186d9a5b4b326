"""anvil and ganache in processes of their own, from PATH or the npm project beside this file."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).parent / "npm"
INSTALL = ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund"]
MNEMONIC = "test test test test test test test test test test test junk"
"""The accounts of anvil, and of devchain's network `local`."""
LISTENING = "Listening on "
STOP_SECONDS = 20.0


def find(name: str) -> str | None:
    """The path of a program: the version of the npm project if that is installed."""
    return shutil.which(name, path=PROJECT / "node_modules" / ".bin") or shutil.which(name)


@contextmanager
def anvil(*options: str, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """An anvil; its URL."""
    command = [find("anvil") or "anvil", "--port", "0", *options]
    with _started(command, environment) as url:
        yield url


@contextmanager
def ganache(*options: str, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """A ganache with anvil's accounts; its URL."""
    with socket.create_server(("127.0.0.1", 0)) as free:  # it refuses port 0
        port = free.getsockname()[1]
    accounts = ("--wallet.mnemonic", MNEMONIC)
    command = [find("ganache") or "ganache", "--server.port", str(port), *accounts, *options]
    with _started(command, environment) as url:
        yield url


@contextmanager
def _started(command: Sequence[str], environment: Mapping[str, str] | None) -> Iterator[str]:
    """A process that prints where it listens; its URL. Raises `RuntimeError` with what it says."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **(environment or {})},
    ) as process:
        assert process.stdout  # noqa: S101  # as asked for
        printed: list[str] = []
        # It logs its requests: with nobody to read them it would stop when the pipe is full.
        rest = threading.Thread(target=deque, args=(process.stdout, 0))
        try:
            for line in process.stdout:
                printed.append(line)
                if LISTENING in line:
                    rest.start()
                    yield f"http://{line.partition(LISTENING)[2].strip()}"
                    return
            raise RuntimeError(f"{command[0]} does not start: {''.join(printed[-5:]).strip()}")
        finally:
            process.terminate()
            process.wait(timeout=STOP_SECONDS)  # it writes its cache then
            if rest.ident is not None:
                rest.join(STOP_SECONDS)
