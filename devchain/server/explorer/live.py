"""Live pages: server-sent events about blocks and transactions, also those that were taken back.

An event is sent when something has changed, at most every `INTERVAL_SECONDS`:

    event: chain
    data: {"height": 12, "head": "0x5c..", "pending": 0, "removed": ["0x81.."]}

`removed` are the hashes of blocks that a page may show and that are no longer on the chain.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import orjson

from devchain.errors import LimitExceeded
from devchain.node import Node
from devchain.server.router import NetworkService

INTERVAL_SECONDS = 0.25
KEEP_ALIVE_SECONDS = 1.0  # between writes without news, which show whether a page is closed
REMEMBERED = 200  # blocks below the head whose removal is reported
MAX_STREAMS = 256  # live pages that are served at a time


class LivePage:
    """One page that is open: a subscriber which notes that there may be news."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._news = asyncio.Event()
        self._state = self._present()
        self._blocks = self._newest_blocks()

    def look_for_notifications(self) -> None:
        if self._present() != self._state:
            self._news.set()

    def _present(self) -> tuple[object, ...]:
        node = self._node
        return node.chain.version, node.filters.version, len(node.mempool), node.resets

    def _newest_blocks(self) -> dict[int, bytes]:
        chain = self._node.chain
        first = max(chain.first, chain.height - REMEMBERED + 1)
        return {block.number: block.hash for block in chain.blocks_between(first, chain.height)}

    def event(self) -> bytes | None:
        """What has changed since the last event, as it is sent; None if nothing has."""
        present = self._present()
        if present == self._state:
            return None
        self._state = present
        chain = self._node.chain
        removed = [
            f"0x{known.hex()}"
            for number, known in self._blocks.items()
            if number > chain.height or chain.block(number).hash != known
        ]
        self._blocks = self._newest_blocks()
        data = {
            "height": chain.height,
            "head": f"0x{chain.head.hash.hex()}",
            "pending": len(self._node.mempool),
            "removed": removed,
        }
        return b"event: chain\ndata: %b\n\n" % orjson.dumps(data)

    async def wait(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), KEEP_ALIVE_SECONDS)
        self._news.clear()


_open: set[LivePage] = set()


def check_streams() -> None:
    if len(_open) >= MAX_STREAMS:
        raise LimitExceeded(f"{MAX_STREAMS} live pages are open: close some of them")


async def stream(service: NetworkService) -> AsyncIterator[bytes]:
    page = LivePage(service.node)
    service.subscribers.append(page.look_for_notifications)
    _open.add(page)
    try:
        yield b"retry: 2000\n\n"
        while True:
            await page.wait()
            yield page.event() or b": still here\n\n"
            await asyncio.sleep(INTERVAL_SECONDS)
    finally:
        service.subscribers.remove(page.look_for_notifications)
        _open.discard(page)
