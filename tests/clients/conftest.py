"""A node of its own for every test of this folder, and npm projects to run against it.

These tests fetch packages with npm, so they run only by `make test-clients`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
START = [sys.executable, "-m", "devchain", "start", "--port", "0", "--quiet"]
Run = Callable[..., str]


@pytest.fixture
def options() -> list[str]:
    """Options of `devchain start`; a test can set others by its parameter `options`."""
    return ["--network", "test"]


@pytest.fixture
def url(options: list[str]) -> Iterator[str]:
    """A `devchain start` in a process of its own."""
    with subprocess.Popen([*START, *options], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
        process.terminate()


@pytest.fixture
def npm(url: str, tmp_path: Path) -> Run:
    """Run npm in one of the project's folders with the node's URL in `DEVCHAIN_URL`; its output."""

    def run(folder: Path, *arguments: str, program: str = "npm", **more: str) -> str:
        environment = os.environ | {
            "DEVCHAIN_URL": url,
            "HARDHAT_DISABLE_TELEMETRY_PROMPT": "true",
            "XDG_CONFIG_HOME": str(tmp_path),
            **more,
        }
        completed = subprocess.run(
            [program, *arguments],
            cwd=folder,
            env=environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=1_200,
        )
        assert completed.returncode == 0, completed.stdout
        return completed.stdout

    return run
