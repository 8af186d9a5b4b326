"""A soak test: mixed load for a while, to see memory that leaks and methods that get slower.

`python -m bench.soak MINUTES` starts a node and repeats a cycle: calls of many kinds over HTTP,
WebSocket and IPC, wrong ones too, and a revert to the same snapshot. After a cycle the chain is
what it was, so that memory which grows from cycle to cycle is none of the chain's own.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Event, Request, TextMessage

from bench.driver import NodeDriver
from bench.nodes import START, TIMEOUT
from devchain.client.http import HttpClient

MEGABYTE = 1_000_000
MIN_CYCLES = 8
TRANSFERS = 5
RECEIVE_BYTES = 65_536
FILTER_SECONDS = 5
"""When filters expire. Until then one that is not polled keeps the blocks that reverts remove."""
WRONG: tuple[tuple[str, list[Any]], ...] = (
    ("no_such_method", []),
    ("eth_getBalance", ["0x1"]),
    ("eth_call", [{"data": "0xfe"}, "latest"]),
    ("eth_sendRawTransaction", ["0x00"]),
)
"""Calls that fail."""

RIGHT: tuple[tuple[str, list[Any]], ...] = (
    ("eth_blockNumber", []),
    ("eth_getBlockByNumber", ["latest", True]),
    ("eth_getLogs", [{"fromBlock": "0x0"}]),
    ("eth_feeHistory", ["0x10", "latest", [50]]),
    ("debug_traceBlockByNumber", ["latest"]),
    ("trace_block", ["latest"]),
    ("eth_newBlockFilter", []),
    ("txpool_content", []),
    ("evm_mine", []),
    ("rpc.discover", []),
)
"""Calls that succeed, besides those of the driver."""


class Soak:
    """The load, and what was seen: latencies and errors by method, memory after each cycle."""

    def __init__(self, url: str, ipc: str, pid: int) -> None:
        """Connect to a node and deploy the contracts."""
        self._url, self._ipc, self._pid = url, ipc, pid
        self._client = HttpClient(url, TIMEOUT)
        self._driver = NodeDriver(self._client)
        self._snapshot = self._client.call("evm_snapshot")
        self.latencies: dict[str, list[float]] = defaultdict(list)
        self.errors: Counter[str] = Counter()
        self.memory: list[tuple[float, float]] = []  # hours, megabytes

    def run(self, seconds: float) -> None:
        """Repeat the cycle for that long."""
        started = time.monotonic()
        while (now := time.monotonic()) < started + seconds or len(self.memory) < MIN_CYCLES:
            self._cycle()
            self.memory.append(((now - started) / 3600, resident(self._pid) / MEGABYTE))
        self._client.close()

    def _cycle(self) -> None:
        self._call("evm_snapshot")  # the revert removes it
        for _ in range(TRANSFERS):
            self._timed("transfer", self._driver.transfer)
            self._timed("balance", self._driver.balance)
            self._timed("estimate", self._driver.estimate)
        self._timed("deploy", lambda: self._driver.deploy("Kernels"))
        for method, params in RIGHT:
            self._call(method, *params)
        for method, params in WRONG:
            self._refused(method, *params)
        self._timed("batch", lambda: self._client.batch([("eth_chainId", ())] * 100))
        with closing(HttpClient(self._url, TIMEOUT)) as client:
            self._timed("new connection", lambda: client.call("eth_chainId"))
        self._timed("IPC", lambda: subscribed(IpcStream(self._ipc)))
        self._timed("WebSocket", lambda: subscribed(WebSocketStream(self._url)))
        if self._call("evm_revert", self._snapshot) is not True:
            self.errors["evm_revert: false"] += 1

    def _call(self, method: str, *params: object) -> Any:
        return self._timed(method, lambda: self._client.call(method, *params))

    def _timed(self, name: str, work: Any) -> Any:
        started = time.perf_counter()
        try:
            result = work()
        except Exception as error:  # noqa: BLE001  # counted and shown
            self.errors[f"{name}: {type(error).__name__}: {error}"[:200]] += 1
            return None
        self.latencies[name].append(time.perf_counter() - started)
        return result

    def _refused(self, method: str, *params: object) -> None:
        try:
            self._client.call(method, *params)
        except Exception:  # noqa: BLE001  # as it should be
            return
        self.errors[f"{method}: not refused"] += 1


class IpcStream:
    """JSON values over IPC."""

    def __init__(self, path: str) -> None:
        """Connect."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(path)
        self._file = self._socket.makefile("rb")

    def send(self, text: str) -> None:
        """Send a message."""
        self._socket.sendall(text.encode())

    def receive(self) -> Any:
        """The next message."""
        return json.loads(self._file.readline())

    def close(self) -> None:
        """Disconnect."""
        self._file.close()
        self._socket.close()


class WebSocketStream:
    """JSON values over WebSocket."""

    def __init__(self, url: str) -> None:
        """Connect."""
        host, _, port = url.removeprefix("http://").rpartition(":")
        self._socket = socket.create_connection((host, int(port)))
        self._protocol = WSConnection(ConnectionType.CLIENT)
        self._socket.sendall(self._protocol.send(Request(host=host, target="/")))
        self._events = self._arriving()
        if not isinstance(next(self._events), AcceptConnection):
            raise RuntimeError("the handshake was refused")  # noqa: TRY004  # no type of ours

    def send(self, text: str) -> None:
        """Send a message."""
        self._socket.sendall(self._protocol.send(TextMessage(data=text)))

    def receive(self) -> Any:
        """The next message."""
        text = ""
        for event in self._events:
            if isinstance(event, TextMessage):
                text += event.data
                if event.message_finished:
                    break
        return json.loads(text)

    def close(self) -> None:
        """Disconnect, without a close frame."""
        self._socket.close()

    def _arriving(self) -> Iterator[Event]:
        while data := self._socket.recv(RECEIVE_BYTES):
            self._protocol.receive_data(data)
            yield from self._protocol.events()


def subscribed(stream: IpcStream | WebSocketStream) -> None:
    """Subscribe to new heads, mine a block and wait for its notification; then disconnect."""
    with closing(stream):
        stream.send(_request("eth_subscribe", ["newHeads"]))
        if "result" not in stream.receive():
            raise RuntimeError("eth_subscribe failed")
        stream.send(_request("evm_mine", []))
        received = [stream.receive(), stream.receive()]  # mining may end after the notification
        if not any("result" in each for each in received):
            raise RuntimeError("evm_mine failed")
        if not any("params" in each for each in received):
            raise RuntimeError("no notification came")


def _request(method: str, params: Sequence[Any]) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def resident(pid: int) -> int:
    """The memory of a process, in bytes."""
    pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the line through points that fits best."""
    if len(points) < 2:
        return 0.0
    return statistics.linear_regression(*zip(*points, strict=True)).slope


def drift(values: Sequence[float]) -> tuple[float, float]:
    """The least of the first and of the last quarter: other programs only make them longer."""
    quarter = max(1, len(values) // 4)
    return min(values[:quarter]), min(values[-quarter:])


def report(soak: Soak) -> str:
    """What was seen, as text. The first third of the memory is left out: caches fill."""
    settled = soak.memory[len(soak.memory) // 3 :]
    lines = [
        f"{len(soak.memory)} cycles in {soak.memory[-1][0] * 60:.1f} minutes",
        (
            f"memory: {soak.memory[0][1]:.1f} MB at first, {settled[0][1]:.1f} MB after a third,"
            f" {settled[-1][1]:.1f} MB at the end; slope since: {slope(settled):+.2f} MB an hour"
        ),
        "",
        f"{'latency':<28}{'first':>10}{'last':>10}{'drift':>9}",
    ]
    for name, values in sorted(soak.latencies.items()):
        first, last = drift(values)
        lines.append(
            f"{name:<28}{first * 1e3:>7.2f} ms{last * 1e3:>7.2f} ms{last / first - 1:>+9.0%}"
        )
    lines += ["", f"errors: {sum(soak.errors.values())}"]
    lines += [f"  {count}× {text}" for text, count in soak.errors.most_common()]
    return "\n".join(lines)


@contextmanager
def node() -> Iterator[tuple[str, str, int]]:
    """A node in a process of its own: URL, path of the IPC socket, process id."""
    with tempfile.TemporaryDirectory(prefix="soak") as folder:
        ipc = str(Path(folder) / "ipc")
        command = [*START, "--ipc", ipc, "--filter-timeout", str(FILTER_SECONDS)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                line = process.stdout.readline() if process.stdout else ""
                yield line.split()[-1], ipc, process.pid
            finally:
                process.terminate()


def main(minutes: float) -> int:
    """Run the soak test and print the report; 1 if there were errors."""
    with node() as (url, ipc, pid):
        soak = Soak(url, ipc, pid)
        soak.run(minutes * 60)
    sys.stdout.write(report(soak) + "\n")
    return 1 if soak.errors else 0


if __name__ == "__main__":
    raise SystemExit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 5.0))
