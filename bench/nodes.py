"""The measured nodes: in this process, in a process of their own, or at a URL."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from bench.driver import NodeDriver
from bench.timing import MILLISECONDS
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
IMPORTS = [sys.executable, "-c", "import eth, quart"]


@contextmanager
def local(engine: str) -> Iterator[NodeDriver]:
    """A node in this process."""
    config = Config(engine=engine, gas_limit=GAS_LIMIT, execution_timeout=0, request_timeout=0)
    with Node(config) as node:
        yield NodeDriver(LocalClient(node))


@contextmanager
def served(engine: str) -> Iterator[NodeDriver]:
    """A node in a process of its own, over HTTP."""
    with started("--engine", engine, *UNLIMITED) as url, remote(url) as driver:
        yield driver


@contextmanager
def remote(url: str) -> Iterator[NodeDriver]:
    """Any node, over a connection that is kept open."""
    with closing(HttpClient(url, TIMEOUT)) as client:
        yield NodeDriver(client)


@contextmanager
def started(*options: str) -> Iterator[str]:
    """A `devchain start` in a process of its own; its URL."""
    with subprocess.Popen([*START, *options], stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            yield line.split()[-1]
        finally:
            process.terminate()


def start_time() -> float:
    """Milliseconds from `devchain start` to the first answer."""
    begun = time.perf_counter()
    with started() as url, closing(HttpClient(url, TIMEOUT)) as client:
        client.call("eth_chainId")
        return (time.perf_counter() - begun) * MILLISECONDS


def import_time() -> float:
    """Milliseconds that Python takes to import the libraries that a node uses."""
    begun = time.perf_counter()
    subprocess.run(IMPORTS, check=True)
    return (time.perf_counter() - begun) * MILLISECONDS
