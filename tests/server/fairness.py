"""The fairness of the server towards its clients, as a property that a fuzzer can refute.

Attackers send whatever they like: bytes, frames and calls, over any transport, as often as they
like. Meanwhile another client asks for `eth_blockNumber`. Between a request of it (a WebSocket
handshake is one) and the answer the server's thread may work for `CPU_SECONDS`, and for the time
limit of one execution if an attacker calls a contract, however many attackers do. The memory of the
process may grow by `MEMORY_BYTES`.

That client is a thread of its own with real sockets. It reads the CPU clock of the server's thread
when it sends a request; the server's thread notes it when it writes the answer (`AnswerTimes`). So
the attackers' own work is not counted, nor what the server does until the client's thread gets a
core to see the answer. A busy machine, or a tracer that measures coverage, takes more CPU time for
the same work: some known work is done beside, and the bound is that much higher (`slowness`).

`python -m tests.fuzzing server` makes the attacks that are kept, then searches. What it finds is
printed as JSON: a file of it in `fairness_corpus` is kept.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import json
import os
import selectors
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self
from unittest import mock

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devchain.config import Config
from devchain.node import Node
from devchain.server.connection import Connection
from devchain.server.ipc import unix_listener
from devchain.server.router import Router
from devchain.server.scheduler import Scheduler
from devchain.server.serve import STACK_BYTES, _loop_factory, bind, serve

CPU_SECONDS = 0.2
"""On a machine that does `reference_work` in `REFERENCE_SECONDS`."""

REFERENCE_SECONDS = 0.003
MEMORY_BYTES = 500 * 2**20
"""Several times `MAX_HELD_BYTES`: clients are in this process, allocators keep free memory."""

SAMPLES = 5
"""Of slowness: on a shared machine it doubles and halves within a second."""

ATTEMPTS = 3
"""How often a wait that is too long must be seen in a row to count: on a busy machine the client's
thread may lose its core after it has read the clock and before its request is sent."""

EXECUTION_SECONDS = 0.5
"""`--request-timeout` of the attacked node."""

MAX_ATTACK_CPU = 3.0
"""After how much work for the attackers an example ends, in seconds."""

MAX_ATTACK_BYTES = 3_000_000
"""How much one attacker sends."""

CORPUS = Path(__file__).parent / "fairness_corpus"
CONFIG = Config(
    network="test",
    fixed_clock=1_700_000_000,
    accounts=2,
    request_timeout=EXECUTION_SECONDS,
    execution_timeout=EXECUTION_SECONDS,
    gas_limit=10**10,
)

HEAD = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
QUESTION_ID = b'"the-client"'
QUESTION = b'{"jsonrpc":"2.0","id":' + QUESTION_ID + b',"method":"eth_blockNumber"}'
QUIET_ROUNDS = 3
OPCODES = {"continuation": 0, "text": 1, "binary": 2, "close": 8, "ping": 9, "pong": 10}

LOOP = {"data": "0x5b600056", "gas": "0x1dcd65000"}
"""A contract's creation that takes longer than it may: JUMPDEST PUSH1 0 JUMP."""

ACCOUNT = "0x" + "11" * 20
SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
"""The first funded account."""
EXECUTIONS = ("eth_call", "eth_estimateGas", "eth_sendTransaction")

CALLS: tuple[tuple[str, list[Any]], ...] = (
    ("eth_blockNumber", []),
    ("eth_getBlockByNumber", ["latest", True]),
    ("eth_getLogs", [{"fromBlock": "0x0"}]),
    ("eth_newFilter", [{"address": [ACCOUNT] * 50}]),
    ("eth_subscribe", ["newHeads"]),
    ("eth_subscribe", ["newPendingTransactions", True]),
    ("eth_getProof", [ACCOUNT, ["0x0"] * 20, "latest"]),
    ("eth_call", [LOOP, "latest"]),
    ("eth_estimateGas", [LOOP]),
    ("eth_sendTransaction", [{"from": SENDER, **LOOP}]),
    ("evm_mine", [{"blocks": 200}]),
    ("hardhat_mine", ["0x2710"]),
    ("evm_snapshot", []),
    ("evm_revert", ["0x1"]),
    ("rpc.discover", []),
    ("rpc_modules", []),
    ("web3_sha3", ["0x" + "00" * 5_000]),
    ("no_such_method", [[]] * 50),
)

TEXTS = (
    "", " ", "\n", "\r\n", "x", "{}", "[]", "]}", "[", '{"', '"', '\\"', "[{},", "0",
    "1\r\n \r\n", "0\r\n\r\n",
    "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "POST /a/b HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n",
    HEAD + "Transfer-Encoding: chunked\r\n\r\n",
    HEAD + "Content-Length: 5000000\r\n\r\n",
    HEAD + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n{}",
    HEAD + "Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}",
    HEAD,
    "X: y\r\n",
)  # fmt: skip


@dataclass(frozen=True)
class Part:
    """Bytes, a WebSocket frame or a call (in a batch of that size), sent a number of times."""

    text: str = ""
    frame: str = ""
    is_final: bool = True
    method: str = ""
    params: list[Any] = field(default_factory=list)
    batch: int = 0
    times: int = 1

    def unit(self, transport: str) -> bytes:
        """The bytes that are repeated."""
        data = self.text.encode("latin-1")
        if self.method:
            one = {"jsonrpc": "2.0", "id": 1, "method": self.method, "params": self.params}
            data = json.dumps([one] * self.batch if self.batch else one).encode()
            if transport == "http":
                return f"{HEAD}Content-Length: {len(data)}\r\n\r\n".encode() + data
            if transport == "ws":
                return frame("text", data, is_final=True)
        if self.frame:
            return frame(self.frame, data, is_final=self.is_final)
        return data


@dataclass(frozen=True)
class Attack:
    """What a number of connections send each, and whether their client reads the answers."""

    transport: str
    parts: list[Part]
    is_reading: bool = True
    copies: int = 1

    @classmethod
    def from_json(cls, members: dict[str, Any]) -> Attack:
        """An attack from the corpus."""
        return cls(**{**members, "parts": [Part(**each) for each in members["parts"]]})

    def units(self) -> list[bytes]:
        """The bytes that each part repeats."""
        return [part.unit(self.transport) for part in self.parts]

    def chunks(self, units: Sequence[bytes]) -> Iterator[bytes]:
        """The bytes that each connection sends, in pieces; the connections share the units."""
        left = MAX_ATTACK_BYTES
        for part, unit in zip(self.parts, units, strict=True):
            times = min(part.times, left // max(len(unit), 1)) if unit else 0
            left -= times * len(unit)
            per_piece = max(1, 65_536 // max(len(unit), 1))
            while times > 0:
                yield unit * min(times, per_piece)
                times -= per_piece


def frame(kind: str, data: bytes, *, is_final: bool) -> bytes:
    """A masked WebSocket frame; the mask is zero."""
    first = OPCODES[kind] | (0x80 if is_final else 0)
    if len(data) < 126:
        head = struct.pack("!BB", first, 0x80 | len(data))
    elif len(data) < 65_536:
        head = struct.pack("!BBH", first, 0x80 | 126, len(data))
    else:
        head = struct.pack("!BBQ", first, 0x80 | 127, len(data))
    return head + b"\0\0\0\0" + data


WARM_UP = (
    (b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", b"}}}"),
    (Part(method="evm_mine").unit("http"), b'"result":"0x0"}'),
    (Part(method="rpc_modules").unit("http"), b"}}"),
)
"""Requests after which nothing that all clients need has to be loaded."""


# Strategies

_times = st.one_of(st.integers(1, 5), st.sampled_from([100, 1_000, 20_000, 500_000]))
_texts = st.one_of(st.sampled_from(TEXTS), st.text(st.characters(max_codepoint=255), max_size=8))
_raw = st.builds(Part, text=_texts, times=_times)
_frames = st.builds(
    Part,
    text=st.one_of(st.sampled_from(["", "x", "{}", " " * 100]), _texts),
    frame=st.sampled_from(list(OPCODES)),
    is_final=st.booleans(),
    times=_times,
)
_calls = st.builds(
    lambda call, batch, times: Part(method=call[0], params=call[1], batch=batch, times=times),
    st.sampled_from(CALLS),
    st.sampled_from([0, 0, 1, 30, 1_000]),
    st.sampled_from([1, 1, 3, 50]),
)
_attack = st.one_of(
    st.builds(
        Attack,
        st.just("ws"),
        st.lists(st.one_of(_frames, _calls, _raw), min_size=1, max_size=4),
        st.booleans(),
    ),
    st.builds(
        Attack,
        st.sampled_from(["http", "ipc"]),
        st.lists(st.one_of(_calls, _raw), min_size=1, max_size=4),
        st.booleans(),
    ),
)
attacks = st.lists(
    st.builds(replace, _attack, copies=st.sampled_from([1, 1, 2, 8, 50])), min_size=1, max_size=3
)
"""Lists of attacks that are made at the same time."""


# The server, the attackers and the client that must be served


@dataclass(frozen=True)
class Addresses:
    """Where the server listens."""

    port: int
    ipc: str

    def connect(self, transport: str) -> socket.socket:
        """A connection that does not block."""
        if transport == "ipc":
            sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            sock.connect(self.ipc)
        else:
            sock = socket.create_connection(("127.0.0.1", self.port))
        sock.setblocking(False)
        return sock


class Attackers:
    """The attacks, from a thread of their own."""

    def __init__(self, addresses: Addresses, attacks: Sequence[Attack]) -> None:
        self._selector = selectors.DefaultSelector()
        self._pending: dict[socket.socket, tuple[Iterator[bytes], memoryview]] = {}
        self._silent: list[socket.socket] = []
        self._is_stopped = False
        self.are_done = False
        for attack in attacks:
            units = attack.units()
            for _ in range(attack.copies):
                sock = addresses.connect(attack.transport)
                self._pending[sock] = (attack.chunks(units), memoryview(b""))
                events = selectors.EVENT_WRITE | (selectors.EVENT_READ if attack.is_reading else 0)
                self._selector.register(sock, events, attack)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> None:
        """End the attacks."""
        self._is_stopped = True
        self._thread.join()

    def _run(self) -> None:
        for key in list(self._selector.get_map().values()):
            if key.data.transport == "ws":
                self._shake_hands(key.fileobj)
        while not self._is_stopped:
            for key, events in self._selector.select(0.01):
                sock: Any = key.fileobj
                try:
                    if events & selectors.EVENT_READ and not sock.recv(1 << 20):
                        self._close(sock)
                    elif events & selectors.EVENT_WRITE:
                        self._send(sock, key.data)
                except BlockingIOError:
                    pass
                except OSError:
                    self._close(sock)
            self.are_done = not self._pending
        for sock in [each.fileobj for each in self._selector.get_map().values()] + self._silent:
            self._close(sock)
        self._selector.close()

    def _shake_hands(self, sock: Any) -> None:
        """Become a WebSocket, as a client that waits for the answer does."""
        sock.settimeout(0.1)
        sock.sendall(UPGRADE)
        answer = b""
        while not answer.endswith(b"\r\n\r\n") and not self._is_stopped:
            with suppress(TimeoutError):
                if not (piece := sock.recv(1)):
                    break
                answer += piece
        sock.setblocking(False)

    def _send(self, sock: socket.socket, attack: Attack) -> None:
        chunks, rest = self._pending[sock]
        rest = rest or memoryview(next(chunks, b""))  # its slices are no copies
        if rest:
            self._pending[sock] = (chunks, rest[sock.send(rest) :])
            return
        del self._pending[sock]
        if attack.is_reading:
            self._selector.modify(sock, selectors.EVENT_READ, attack)
        else:
            self._selector.unregister(sock)
            self._silent.append(sock)  # stays open

    def _close(self, sock: Any) -> None:
        self._pending.pop(sock, None)
        with suppress(KeyError):
            self._selector.unregister(sock)
        sock.close()


class AnswerTimes:
    """The server thread's CPU clock when it has last written a handshake's answer and the client's.

    While it is open, `Connection.write` notes them.
    """

    def __init__(self) -> None:
        self.handshake = self.answer = 0.0

    def __enter__(self) -> Self:
        write = Connection.write

        def noting(connection: Connection, data: bytes) -> None:
            write(connection, data)
            if len(data) < 500:  # bytes; both are small
                if QUESTION_ID in data:
                    self.answer = time.thread_time()
                elif data.startswith(b"HTTP/1.1 101"):
                    self.handshake = time.thread_time()

        self._patch = mock.patch.object(Connection, "write", noting)
        self._patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.stop()


class Client:
    """The client that must be served: it asks over one transport, on one connection or new ones."""

    def __init__(
        self, addresses: Addresses, transport: str, times: AnswerTimes, *, is_kept: bool
    ) -> None:
        self._addresses = addresses
        self._transport = transport
        self._times = times
        self._is_kept = is_kept
        self._kept: socket.socket | None = None

    async def ask(self) -> float:
        """Ask for the block number; how long the server's thread has worked until an answer."""
        clock = time.pthread_getcpuclockid(threading.get_ident())
        return await asyncio.to_thread(self._ask, clock)

    def _ask(self, clock: int) -> float:
        waited = 0.0
        before = time.clock_gettime(clock)
        sock = self._kept or self._addresses.connect(self._transport)
        sock.setblocking(True)
        if self._transport == "ws" and not self._kept:
            sock.sendall(UPGRADE)
            receive(sock, b"\r\n\r\n")
            waited = self._times.handshake - before
            before = time.clock_gettime(clock)
        question = {
            "http": f"{HEAD}Content-Length: {len(QUESTION)}\r\n\r\n".encode() + QUESTION,
            "ws": frame("text", QUESTION, is_final=True),
            "ipc": QUESTION,
        }[self._transport]
        sock.sendall(question)
        receive(sock, b'"result":"0x')
        waited = max(waited, self._times.answer - before)
        if self._is_kept:
            self._kept = sock
        else:
            sock.close()
        return waited

    def close(self) -> None:
        """Close the connection that is kept."""
        if self._kept:
            self._kept.close()


def receive(sock: socket.socket, end: bytes) -> None:
    """Wait until those bytes have arrived, on a connection that blocks."""
    data = b""
    while end not in data:
        piece = sock.recv(1 << 20)
        assert piece, f"the connection was closed after {data[:200]!r}"
        data = data[-len(end) :] + piece


def resident_bytes() -> int:
    """The memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def release_memory() -> None:
    """Give free memory back to the system: what is taken from it is no growth of the process."""
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)  # of glibc


def reference_work() -> None:
    """Some work of the kind that the server does."""
    for number in range(1_500):
        json.dumps([number, str(number)])


def slowness() -> float:
    """How many times as much CPU time as it should this thread takes for its work just now.

    The largest of some samples: what the client waited for ran in another moment.
    """
    slowest = 1.0
    for _ in range(SAMPLES):
        before = time.thread_time()
        for _ in range(5):
            reference_work()
        slowest = max(slowest, (time.thread_time() - before) / (5 * REFERENCE_SECONDS))
    return slowest


class Unfair(AssertionError):
    """A client waited too long, or the memory grew too much."""


class WaitTooLong(Unfair):
    """A client waited too long, which a busy machine can cause, too."""


def check(attacks: Sequence[Attack], max_cpu: float = MAX_ATTACK_CPU) -> tuple[float, int]:
    """Make the attacks; raise `Unfair` unless another client is served meanwhile.

    Waiting counts when `ATTEMPTS` in a row have shown it, memory at once. Returns the longest wait
    of that client, in CPU seconds of the server, and the growth of memory.
    """
    for _ in range(ATTEMPTS - 1):
        with suppress(WaitTooLong):
            return check_once(attacks, max_cpu)
    return check_once(attacks, max_cpu)


def check_once(attacks: Sequence[Attack], max_cpu: float) -> tuple[float, int]:
    """As `check`, without a second attempt."""
    results: list[tuple[float, int] | BaseException] = []

    def run() -> None:
        try:
            with (
                tempfile.TemporaryDirectory(prefix="dc") as folder,
                asyncio.Runner(loop_factory=_loop_factory(CONFIG)) as runner,
            ):
                results.append(runner.run(_attack(attacks, f"{folder}/ipc", max_cpu)))
        except BaseException as error:  # noqa: BLE001  # raised again in the caller's thread
            results.append(error)

    stack_size = threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=run)
    thread.start()
    threading.stack_size(stack_size)
    thread.join()
    (result,) = results
    if isinstance(result, BaseException):
        raise result
    return result


async def _attack(attacks: Sequence[Attack], ipc: str, max_cpu: float) -> tuple[float, int]:
    """Serve a fresh node on the event loop of the command line; attack it, and ask it."""
    stop, started = asyncio.Event(), asyncio.Event()
    with Node(CONFIG) as node, bind("127.0.0.1", 0) as sock, unix_listener(ipc) as ipc_sock:
        router = Router.of({"test": node}, CONFIG, None)
        serving = asyncio.create_task(serve(router, sock, stop, ipc_sock, started.set))
        await started.wait()
        try:
            addresses = Addresses(sock.getsockname()[1], ipc)
            return await _ask_meanwhile(attacks, addresses, router.scheduler, max_cpu)
        finally:
            stop.set()
            await serving


async def _ask_meanwhile(
    attacks: Sequence[Attack], addresses: Addresses, scheduler: Scheduler, max_cpu: float
) -> tuple[float, int]:
    sent = " ".join(part.method + part.text for each in attacks for part in each.parts)
    is_execution = any(name in sent for name in EXECUTIONS)
    execution = EXECUTION_SECONDS if is_execution else 0.0
    allowed = CPU_SECONDS + execution
    worst, growth = 0.0, 0
    with ExitStack() as stack:
        times = stack.enter_context(AnswerTimes())
        clients = [
            Client(addresses, transport, times, is_kept=is_kept)
            for transport in ("http", "ws", "ipc")
            for is_kept in (True, False)
        ]
        for each in clients:
            stack.callback(each.close)
        await _warm_up(addresses, clients)
        gc.collect()
        gc.freeze()  # as the command does: a full collection would go through all of the tests
        stack.callback(gc.unfreeze)
        release_memory()
        memory, end = resident_bytes(), time.thread_time() + max_cpu
        attackers = Attackers(addresses, attacks)
        stack.callback(attackers.stop)
        quiet_rounds = 0  # after all was sent: the server has nothing to do but to answer
        while quiet_rounds < QUIET_ROUNDS and time.thread_time() < end:
            is_sent = attackers.are_done
            for each in clients:
                worst = max(worst, await each.ask())
                growth = max(growth, resident_bytes() - memory)
                if worst > allowed:
                    allowed = max(allowed, CPU_SECONDS * slowness() + execution)
                if worst > allowed or growth > MEMORY_BYTES:
                    raise (Unfair if growth > MEMORY_BYTES else WaitTooLong)(
                        f"waited {worst * 1_000:.0f} ms of CPU (at most {allowed * 1_000:.0f}),"
                        f" memory grew by {growth >> 20} MB (at most {MEMORY_BYTES >> 20}):\n"
                        f"{as_json(attacks)}"
                    )
            is_quiet = is_sent and scheduler.is_idle
            quiet_rounds = quiet_rounds + 1 if is_quiet else 0
    return worst, growth


async def _warm_up(addresses: Addresses, clients: Sequence[Client]) -> None:
    """Load all that the server needs."""
    with addresses.connect("http") as sock:
        sock.setblocking(True)
        for request, end in WARM_UP:
            sock.sendall(request)
            await asyncio.to_thread(receive, sock, end)
    for each in clients:
        await each.ask()


def as_json(attacks: Sequence[Attack]) -> str:
    """The attacks as a file of the corpus."""
    return json.dumps([_members(each) for each in attacks])


def _members(value: Part | Attack) -> dict[str, Any]:
    """The members that differ from their defaults."""
    found = {each.name: getattr(value, each.name) for each in fields(value)}
    if isinstance(value, Attack):
        found["parts"] = [_members(each) for each in value.parts]
    defaults = {each.name: each.default for each in fields(value)}
    return {name: each for name, each in found.items() if each not in (defaults[name], [])}


def corpus() -> dict[str, list[Attack]]:
    """The attacks that are kept, by name."""
    return {
        path.stem: [Attack.from_json(each) for each in json.loads(path.read_text("utf-8"))]
        for path in sorted(CORPUS.glob("*.json"))
    }


def replay() -> None:
    """Make the attacks that are kept."""
    for kept in corpus().values():
        check(kept)


@settings(max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(attacks)
def search(found: list[Attack]) -> None:
    """Make some attacks that Hypothesis draws."""
    check(found)
