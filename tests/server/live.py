"""A node behind a real socket, and plain words to say to it."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from devchain.config import Config
from devchain.node import Node
from devchain.server.events import Observer
from devchain.server.front import Front
from devchain.server.ipc import bound
from devchain.server.serve import bind, serve

CONFIG = Config(network="test", fixed_clock=1_700_000_000, accounts=1, max_body=100_000)
CHAIN_ID = b'{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
HEAD = "POST / HTTP/1.1\r\nHost: localhost\r\n"


@contextmanager
def serving(config: Config = CONFIG, observe: Observer | None = None) -> Iterator[int]:
    """A node behind a real socket, in a thread of its own; the port."""
    sock = bind("127.0.0.1", 0)
    ready = threading.Event()
    ends: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def main() -> None:
        ends.append((asyncio.get_running_loop(), asyncio.Event()))
        with Node(config) as node, ExitStack() as stack:
            pipe = stack.enter_context(bound(config.ipc)) if config.ipc else None
            ready.set()
            await serve(Front.of({"test": node}, config, observe), sock, ends[0][1], pipe)

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    ready.wait()
    try:
        yield sock.getsockname()[1]
    finally:
        loop, stop = ends[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        sock.close()


def connected(port: int) -> socket.socket:
    """A connection that gives up after a while."""
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def exchange(port: int, request: bytes) -> bytes:
    """Everything the server says to some bytes until it falls silent or closes."""
    with connected(port) as sock:
        sock.sendall(request)
        said = b""
        while b"\r\n\r\n" not in said or not said.rstrip().endswith(b"}"):
            received = sock.recv(65_536)
            if not received:
                break
            said += received
        return said


def post(connection: http.client.HTTPConnection, body: bytes) -> tuple[int, bytes]:
    """One JSON-RPC request on a connection."""
    connection.request("POST", "/", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    return response.status, response.read()
