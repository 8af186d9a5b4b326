"""Fixtures that run a command on the test's node, without a socket or process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from devchain.cli.main import main
from devchain.cli.options import connecting
from devchain.client.http import Client, LocalClient


@dataclass(frozen=True)
class Result:
    """The exit code and output of a command."""

    code: int
    out: str
    err: str


Runner = Callable[..., Result]


@pytest.fixture
def run_on(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run a command that calls its node through the given client."""

    def run(client: Client, *arguments: str) -> Result:
        with connecting(lambda url: client):
            code = main(arguments)
        return Result(code, *capsys.readouterr())

    return run


@pytest.fixture
def devchain(client: LocalClient, run_on: Callable[..., Result]) -> Runner:
    """Run a command on `node`: `devchain("inspect", "chain")`."""

    def run(*arguments: str) -> Result:
        return run_on(client, *arguments)

    return run
