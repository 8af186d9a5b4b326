"""The measured nodes: in this process, in a process of their own, or at a URL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from bench.driver import NodeDriver
from devchain import Config, Node
from devchain.client.http import HttpClient, LocalClient

GAS_LIMIT = 30_000_000
TIMEOUT = 300.0
UNLIMITED = (
    *("--gas-limit", str(GAS_LIMIT)),
    *("--execution-timeout", "0"),
    *("--request-timeout", "0"),
)
START = [sys.executable, "-m", "devchain", "start", "--quiet", "--port", "0"]


@contextmanager
def local(engine: str, hardfork: str | None = None) -> Iterator[NodeDriver]:
    """A node in this process, by the rules of a hardfork."""
    rules = {"hardfork": hardfork} if hardfork else {}
    config = Config(
        engine=engine, gas_limit=GAS_LIMIT, execution_timeout=0, request_timeout=0, **rules
    )
    with Node(config) as node:
        yield NodeDriver(LocalClient(node))


@contextmanager
def served(engine: str) -> Iterator[NodeDriver]:
    """A node in a process of its own, over HTTP."""
    with started("--engine", engine, *UNLIMITED) as url, remote(url) as driver:
        yield driver


class PlainClient(HttpClient):
    """A client over `http.client`: its own share of a small request is a quarter of httpcore's."""

    def __init__(self, url: str) -> None:
        super().__init__(url, TIMEOUT)
        with closing(HttpClient(url, TIMEOUT)) as first:
            first.call("web3_clientVersion")  # its errors say what is wrong with the URL
        parts = urlsplit(url)
        self._connection = HTTPConnection(parts.netloc, timeout=TIMEOUT)
        self._path = parts.path or "/"

    def close(self) -> None:
        self._connection.close()

    def _exchange(self, request: object) -> Any:
        self._connection.request("POST", self._path, json.dumps(request), self.headers)
        return json.loads(self._connection.getresponse().read())


@contextmanager
def remote(url: str) -> Iterator[NodeDriver]:
    """Any node, over a connection that is kept open."""
    is_plain = urlsplit(url).scheme == "http"
    with closing(PlainClient(url) if is_plain else HttpClient(url, TIMEOUT)) as client:
        yield NodeDriver(client)


def user_environment() -> dict[str, str]:
    """The environment, without what keeps Python from storing compiled modules.

    pytest compiles the modules of plugins by itself, in each run if it cannot store them.
    """
    return {name: each for name, each in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@contextmanager
def started(*options: str) -> Iterator[str]:
    """A `devchain start` in a process of its own; its URL."""
    with subprocess.Popen(
        [*START, *options], stdout=subprocess.PIPE, text=True, env=user_environment()
    ) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            yield line.split()[-1]
        finally:
            process.terminate()
