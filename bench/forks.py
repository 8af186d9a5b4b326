"""Benchmarks of forks: devchain, anvil and ganache fork one node, through a proxy with a latency.

A fork is started, reads a balance of a token, and sends a transfer of it: at first without a
cache (cold), then once more with what the first one has left on the disk (warm).
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from bench import other_nodes
from bench.driver import NodeDriver
from bench.nodes import TIMEOUT, remote, started
from bench.timing import MILLISECONDS, Measured
from devchain.client.http import HttpClient

GROUP = "fork"
LATENCY = 0.05
TRANSFERS = 3
MAX_ROUNDS = 3
STEPS = ("start", "first balanceOf", "first transfer")
INSTALL = "npm install --prefix bench/npm"

Start = Callable[[str, int, str], AbstractContextManager[str]]
"""Forks the node at a URL at a block, with caches in a folder; the URL of the fork."""


# The nodes


@contextmanager
def fork_devchain(url: str, number: int, home: str) -> Iterator[str]:
    """A devchain that forks."""
    fork = ("--fork-url", url, "--fork-block-number", str(number))
    with started(*fork, "--fork-cache", f"{home}/forks.sqlite") as fork_url:
        yield fork_url


@contextmanager
def fork_anvil(url: str, number: int, home: str) -> Iterator[str]:
    """An anvil that forks, without its own limit of requests per second."""
    fork = ("--fork-url", url, "--fork-block-number", str(number), "--no-rate-limit")
    with other_nodes.anvil(*fork, environment=_home(home)) as fork_url:
        yield fork_url


@contextmanager
def fork_ganache(url: str, number: int, home: str) -> Iterator[str]:
    """A ganache that forks."""
    fork = ("--fork.url", url, "--fork.blockNumber", str(number))
    with other_nodes.ganache(*fork, environment=_home(home)) as fork_url:
        yield fork_url


def _home(folder: str) -> dict[str, str]:
    return {"HOME": folder, "XDG_DATA_HOME": folder, "XDG_CACHE_HOME": folder}


NODES: dict[str, Start] = {
    "devchain": fork_devchain,
    "anvil": fork_anvil,
    "ganache": fork_ganache,
}


# What they ask


@dataclass
class Exchange:
    """An HTTP request and its response: when it began and ended, and the calls in it."""

    began: float
    calls: int
    ended: float = float("inf")


@dataclass
class Traffic:
    """What has passed a proxy since it was last read."""

    exchanges: list[Exchange] = field(default_factory=list)

    def take(self) -> tuple[int, int]:
        """The calls, and the round trips they took: exchanges of which each awaited another."""
        exchanges, self.exchanges = self.exchanges, []
        return sum(each.calls for each in exchanges), round_trips(exchanges)


def round_trips(exchanges: Sequence[Exchange]) -> int:
    """The longest chain of exchanges that began after the one before had ended."""
    ordered = sorted(exchanges, key=lambda each: each.began)
    depths: list[int] = []
    for each in ordered:
        earlier = zip(ordered, depths, strict=False)
        depths.append(1 + max((n for other, n in earlier if other.ended <= each.began), default=0))
    return max(depths, default=0)


@contextmanager
def proxy(url: str, traffic: Traffic, latency: float = LATENCY) -> Iterator[str]:
    """A proxy of that node, which answers later by the latency and counts; its URL."""
    upstream = urlsplit(url).netloc

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet: the second would wait for an ACK
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            self.upstream = HTTPConnection(upstream, timeout=TIMEOUT)

        def finish(self) -> None:
            self.upstream.close()
            super().finish()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            calls = json.loads(body)
            exchange = Exchange(time.perf_counter(), len(calls) if isinstance(calls, list) else 1)
            traffic.exchanges.append(exchange)
            time.sleep(latency)
            self.upstream.request("POST", "/", body, {"Content-Type": "application/json"})
            with self.upstream.getresponse() as response:
                answer = response.read()
            self.send_response(response.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            exchange.ended = time.perf_counter()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


# The measurement


def measure(rounds: int, latency: float = LATENCY) -> list[Measured]:
    """Fork one devchain with every node that is installed, in rotating order."""
    traffic = Traffic()
    missing = [each for each in NODES if each != "devchain" and not other_nodes.find(each)]
    order = [each for each in NODES if each not in missing]
    results = {
        (step, cache, name): Measured(GROUP, f"{step}, {cache}", name)
        for cache in ("cold", "warm")
        for step in STEPS
        for name in order
    }
    with started() as url, proxy(url, traffic, latency) as proxied, remote(url) as driver:
        for _ in range(TRANSFERS):
            driver.transfer()
        number = int(driver.client.call("eth_blockNumber"), 16)
        for _ in range(rounds):
            for name in order:
                of_name = {key[:2]: each for key, each in results.items() if key[2] == name}
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
                    _fork_twice(name, (proxied, number, home), driver, traffic, of_name)
            order = order[1:] + order[:1]
    absent = [Measured(GROUP, "all", each, failure=f"not installed: {INSTALL}") for each in missing]
    return [*results.values(), *absent]


def _fork_twice(
    name: str,
    where: tuple[str, int, str],
    driver: NodeDriver,
    traffic: Traffic,
    results: dict[tuple[str, str], Measured],
) -> None:
    """One round of a node; what fails is noted in its result and ends the round."""
    if any(each.failure for each in results.values()):
        return
    step, cache = STEPS[0], "cold"
    try:
        for cache in ("cold", "warm"):
            traffic.take()
            step, begun = STEPS[0], time.perf_counter()
            with NODES[name](*where) as url, closing(HttpClient(url, TIMEOUT)) as client:
                fork = driver.on(client)
                for step, work in zip(STEPS, (_first_answer, _balance, _transfer), strict=True):
                    work(fork)
                    taken = (time.perf_counter() - begun) * MILLISECONDS
                    results[step, cache].samples.append(taken)
                    results[step, cache].upstream.append(traffic.take())
                    begun = time.perf_counter()
    except Exception as error:  # noqa: BLE001  # a failure of another node is a result
        failure = f"{type(error).__name__}: {error}"
        for each in results.values():
            if not each.samples or each is results[step, cache]:
                each.failure = failure


def _first_answer(fork: NodeDriver) -> None:
    fork.client.call("eth_chainId")


def _balance(fork: NodeDriver) -> None:
    if fork.balance() != TRANSFERS:
        raise RuntimeError("the fork has another balance than the node")


def _transfer(fork: NodeDriver) -> None:
    fork.transfer()
