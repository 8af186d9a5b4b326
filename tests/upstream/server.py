"""An HTTP server that plays the node upstream, as well or badly as a test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from devchain.upstream.queries import ForkBlock

FORK_HASH = "0x" + "f0" * 32
FORK_NUMBER = 100
CHAIN_ID = 31

FORK = ForkBlock(CHAIN_ID, FORK_NUMBER, bytes.fromhex(FORK_HASH[2:]))
BLOCK = {"number": hex(FORK_NUMBER), "hash": FORK_HASH, "transactions": []}


@dataclass
class Reply:
    """An HTTP response to send instead of the true one."""

    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)


Fault = Callable[[Any], Reply | None]
"""Given the parsed request, the response to send instead of the true one, or None."""


class FakeUpstream:
    """A node with state by slot, whose `faults` are asked in turn before it answers.

    `bodies` are the parsed requests it got, in order.
    """

    def __init__(self) -> None:
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.faults: list[Fault] = []
        self.results: dict[str, Any] = {
            "eth_chainId": hex(CHAIN_ID),
            "eth_blockNumber": hex(FORK_NUMBER + 20),
            "eth_getBalance": "0x64",
            "eth_getTransactionCount": "0x1",
            "eth_getCode": "0x6001",
            "eth_getBlockByNumber": BLOCK,
            "eth_getStorageAt": lambda address, slot, block: slot,
        }
        self.lock = threading.Lock()
        self.connections = 0
        self.url = ""

    @property
    def calls(self) -> list[str]:
        """The methods called, in order."""
        return [
            each["method"]
            for body in self.bodies
            for each in (body if isinstance(body, list) else [body])
        ]

    def answer(self, call: dict[str, Any]) -> dict[str, Any]:
        """The response to one call."""
        head = {"jsonrpc": "2.0", "id": call["id"]}
        result = self.results.get(call["method"], MISSING)
        if callable(result):
            result = result(*call["params"])
        if result is MISSING:
            return {**head, "error": {"code": -32601, "message": "method not found"}}
        if isinstance(result, Failure):
            return {**head, "error": result.error}
        return {**head, "result": result}

    def respond(self, body: Any) -> Reply:
        with self.lock:
            self.bodies.append(body)
            faults = list(self.faults)
        for each in faults:
            reply = each(body)
            if reply is not None:
                return reply
        answers = list(map(self.answer, body)) if isinstance(body, list) else self.answer(body)
        return Reply(body=json.dumps(answers).encode())


class Failure:
    """A result that is a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        self.error = {"code": code, "message": message, "data": data}


MISSING = object()


def times(count: int, *replies: Reply) -> Fault:
    """A fault that sends these replies, the last of them until there were so many."""
    left = [*replies, *[replies[-1]] * (count - len(replies))]
    return lambda _: left.pop(0) if left else None


def batches_above(limit: int, reply: Reply) -> Fault:
    """A fault of batches that are longer."""
    return lambda body: reply if isinstance(body, list) and len(body) > limit else None


@contextmanager
def serve(upstream: FakeUpstream, path: str = "") -> Iterator[FakeUpstream]:
    """Serve it on a free port; its `url` is set."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet: the second would wait for an ACK
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            with upstream.lock:
                upstream.connections += 1

        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            upstream.headers.append({key.lower(): value for key, value in self.headers.items()})
            reply = upstream.respond(json.loads(self.rfile.read(size)))
            if reply.body is None and reply.status == 0:
                self.close_connection = True
                return
            body = reply.body or b""
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def date_time_string(self, timestamp: float | None = None) -> str:
            return "Wed, 01 Jan 2025 00:00:00 GMT"

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """Print nothing when a client does not wait for its answer."""

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    upstream.url = f"http://127.0.0.1:{server.server_port}{path}"
    try:
        yield upstream
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class FakeTime:
    """A monotonic clock that moves when it is waited on; `waits` are how long."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.waits: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
