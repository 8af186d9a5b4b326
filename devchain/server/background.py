"""Serving from a thread, for programs that go on beside it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devchain.node import Node

STACK_BYTES = 512 * 2**20
"""Deep calls of contracts are deep calls of Python; only pages in use cost memory."""


@contextmanager
def served(node: Node) -> Iterator[str]:
    """Serve a node over HTTP on a free port of this machine while the block runs; the URL.

    Use the node itself only while no request is under way: it takes one at a time.
    """
    from devchain.server.front import Front
    from devchain.server.serve import bind, serve, url_of

    sock = bind("127.0.0.1", 0)
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    started = threading.Event()

    def run() -> None:
        try:
            front = Front.of({node.config.network: node}, node.config, None)
            loop.run_until_complete(serve(front, sock, stop, started=started.set))
        finally:
            started.set()

    before = threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=run, name="devchain", daemon=True)
    thread.start()
    threading.stack_size(before)
    started.wait()  # from here on that thread touches the node only for a request
    try:
        yield url_of(sock)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
        sock.close()
