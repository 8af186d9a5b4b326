"""Running a command on the test's own node: no socket, no process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from devchain.cli.main import main
from devchain.cli.options import connecting
from devchain.client.http import Client, LocalClient


@dataclass(frozen=True)
class Ran:
    """What a command did: its exit code and what it wrote."""

    code: int
    out: str
    err: str


Runner = Callable[..., Ran]


@pytest.fixture
def run_on(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run a command whose node is reached through the client given."""

    def run(client: Client, *arguments: str) -> Ran:
        with connecting(lambda url: client):
            code = main(arguments)
        return Ran(code, *capsys.readouterr())

    return run


@pytest.fixture
def devchain(client: LocalClient, run_on: Callable[..., Ran]) -> Runner:
    """Run a command on `node`: `devchain("inspect", "chain")`."""

    def run(*arguments: str) -> Ran:
        return run_on(client, *arguments)

    return run
