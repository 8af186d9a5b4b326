"""Benchmarks of the explorer: time of a page, and requests beside a live page that is open.

A live page is a process of its own that does what a browser's script does: it reads the stream of
events, and after an event, at most twice a second, the newest blocks and transactions.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from http.client import HTTPConnection
from urllib.parse import urlsplit

from bench import nodes
from bench.driver import NodeDriver
from bench.timing import Measured, in_slices, timed

GROUP = "explorer"
TRANSACTIONS = 100
SHORT, LONG = 100, 100_000
QUICK_LONG = 200
READS = 20
PER_REQUEST = 10_000
TIMEOUT = 60.0
GAS = hex(100_000)
OPTIONS = ("--gas-limit", str(nodes.GAS_LIMIT), "--account-slots", str(TRANSACTIONS))
REFRESH_SECONDS = 0.5
PAGES: dict[str, Callable[[NodeDriver], str]] = {
    "overview": lambda _: "",
    f"block of {TRANSACTIONS} transactions": lambda _: "/block/latest",
    "newest transactions": lambda _: "/txs",
    "account's history": lambda driver: f"/address/{driver.alice}",
}
BESIDE: dict[str, tuple[int, Callable[[NodeDriver], object]]] = {
    "eth_blockNumber": (2_000, lambda driver: driver.client.call("eth_blockNumber")),
    "eth_call of balanceOf": (1_000, NodeDriver.balance),
    "ERC-20 transfer, mined": (200, NodeDriver.transfer),
}


def measure(rounds: int, *, quick: bool) -> Iterator[list[Measured]]:
    """Pages of a short chain beside those of a long one; requests alone and beside a live page."""
    long = QUICK_LONG if quick else LONG
    with _grown(SHORT) as (short_url, driver), _grown(long) as (long_url, long_driver):
        chains = {SHORT: (short_url, driver), long: (long_url, long_driver)}
        count = 1 if quick else READS
        for name, path in PAGES.items():
            runs = {
                f"at block {height:,}": partial(timed, partial(_read, url, path(each)), count)
                for height, (url, each) in chains.items()
            }
            yield in_slices(GROUP, name, runs, rounds)
        for name, (times, work) in list(BESIDE.items())[: 1 if quick else None]:
            alone = partial(_repeat, driver, work, 1 if quick else times)
            beside = partial(_beside_page, short_url, alone)
            yield in_slices(GROUP, name, {"alone": alone, "beside a live page": beside}, rounds)


@contextmanager
def _grown(blocks: int) -> Iterator[tuple[str, NodeDriver]]:
    """A node with that many blocks and one of transactions; its URL."""
    with nodes.started(*OPTIONS) as url, nodes.remote(url) as driver:
        for start in range(0, blocks, PER_REQUEST):
            driver.mine(min(PER_REQUEST, blocks - start))
        driver.client.call("evm_stopMining")
        for amount in range(1, TRANSACTIONS + 1):
            request = {"from": driver.alice, "to": driver.token, "gas": GAS}
            request["data"] = driver.transfer_data(amount)
            driver.client.call("eth_sendTransaction", request)
        driver.mine(1)
        driver.client.call("evm_startMining")
        count = driver.client.call("eth_getBlockTransactionCountByNumber", "latest")
        if count != hex(TRANSACTIONS):
            raise RuntimeError(f"{count} transactions in the block")
        yield url, driver


def _read(url: str, path: str, count: int) -> None:
    """Read a page over one connection."""
    with closing(HTTPConnection(urlsplit(url).netloc, timeout=TIMEOUT)) as connection:
        for _ in range(count):
            connection.request("GET", f"/explorer{path}")
            response = connection.getresponse()
            response.read()
            if response.status != 200:
                raise RuntimeError(f"status {response.status}")


def _repeat(driver: NodeDriver, work: Callable[[NodeDriver], object], count: int) -> float:
    return timed(lambda times: [work(driver) for _ in range(times)], count)


def _beside_page(url: str, run: Callable[[], float]) -> float:
    """A round while a live page is open."""
    command = [sys.executable, "-m", "bench.explorer", url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as page:
        try:
            if not page.stdout or page.stdout.readline() != "open\n":
                raise RuntimeError("the live page did not open")
            return run()
        finally:
            page.terminate()


def follow(url: str) -> None:
    """Be a live page: read the newest blocks and transactions again after events."""
    refreshed = 0.0
    with closing(HTTPConnection(urlsplit(url).netloc, timeout=TIMEOUT)) as connection:
        connection.request("GET", "/explorer/live")
        response = connection.getresponse()
        for line in response:
            if line.startswith(b"retry"):
                _read(url, "?part=feed", 1)
                sys.stdout.write("open\n")
                sys.stdout.flush()
            elif line.startswith(b"event"):
                time.sleep(max(refreshed + REFRESH_SECONDS - time.monotonic(), 0))
                refreshed = time.monotonic()
                _read(url, "?part=feed", 1)


if __name__ == "__main__":
    follow(sys.argv[1])
