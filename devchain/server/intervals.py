"""Interval mining while a server runs: the blocks that become due without anybody asking."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from devchain.server.front import Service

POLL_SECONDS = 0.1
"""How soon a change of the mining interval is noticed."""

log = logging.getLogger(__name__)


@contextmanager
def mining(services: Iterable[Service]) -> Iterator[None]:
    """Make the interval blocks of those nodes while the block of code runs."""
    tasks = [asyncio.create_task(_mine_when_due(service)) for service in services]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()


async def _mine_when_due(service: Service) -> None:
    """Make a node's interval blocks, for ever."""
    node = service.node
    while True:
        due = node.miner.seconds_until_due()
        await asyncio.sleep(POLL_SECONDS if due is None else min(max(due, 0), POLL_SECONDS))
        try:
            service.tick()
        except Exception:
            log.exception("interval mining on %s failed", node.config.network)
            await asyncio.sleep(1)
