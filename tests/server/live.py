"""A node that is served on a real socket, and requests to it."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from devchain.config import Config
from devchain.node import Node
from devchain.server.events import Observer
from devchain.server.ipc import unix_listener
from devchain.server.router import NetworkService, Router
from devchain.server.serve import bind, serve
from tests.accounts import ALICE_HEX
from tests.bytecode import EMIT_MANY, assemble

CONFIG = Config(network="test", fixed_clock=1_700_000_000, accounts=1, max_body=100_000)
CHAIN_ID = b'{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
LOGS = 1_500
EMIT_LOGS = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "eth_sendTransaction",
        "params": [
            {
                "from": ALICE_HEX,
                "gas": hex(2_000_000),
                "data": "0x" + (assemble(str(LOGS)) + EMIT_MANY[3:]).hex(),
            }
        ],
    }
).encode()
"""Mines a transaction with that many logs; as JSON they are longer than what a socket takes."""

GET_LOGS = b'{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x0"}]}'
HEAD = "POST / HTTP/1.1\r\nHost: localhost\r\n"


@contextmanager
def serving(
    config: Config = CONFIG,
    observe: Observer | None = None,
    port: int = 0,
    services: dict[str, NetworkService] | None = None,
) -> Iterator[int]:
    """A node behind a real socket, in a thread of its own; the port, by default a free one.

    `services` gets what is served, and may be changed.
    """
    sock = bind("127.0.0.1", port)
    ready = threading.Event()
    ends: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def main() -> None:
        ends.append((asyncio.get_running_loop(), asyncio.Event()))
        with Node(config) as node, ExitStack() as stack:
            ipc_sock = stack.enter_context(unix_listener(config.ipc)) if config.ipc else None
            router = Router.of({"test": node}, config, observe)
            if services is not None:
                services.update(router.services)
                router = replace(router, services=services)
            await serve(router, sock, ends[0][1], ipc_sock, ready.set)

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
    """A connection to the node, with a timeout."""
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def exchange(port: int, request: bytes) -> bytes:
    """The response to a request, until the end of a JSON body or of the connection."""
    with connected(port) as sock:
        sock.sendall(request)
        received = b""
        while b"\r\n\r\n" not in received or not received.rstrip().endswith(b"}"):
            data = sock.recv(65_536)
            if not data:
                break
            received += data
        return received


def post(connection: http.client.HTTPConnection, body: bytes, path: str = "/") -> tuple[int, bytes]:
    """One JSON-RPC request on a connection."""
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    return response.status, response.read()
