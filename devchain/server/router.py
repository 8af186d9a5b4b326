"""Networks by path: each a node, with what answers its requests and who is notified."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from devchain.config import Config
from devchain.errors import DevchainError, ForkCacheMiss
from devchain.rpc.dispatch import Dispatcher
from devchain.server import access_control, limits
from devchain.server.events import ActivityReporter, Observer
from devchain.server.scheduler import Scheduler
from devchain.text import WATCH

if TYPE_CHECKING:
    from quart import Request

    from devchain.node import Node

POLL_SECONDS = 0.1  # how soon a change of the mining interval is noticed
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NetworkService:
    """One network's node with what answers its requests and reports what it does."""

    node: Node
    reporter: ActivityReporter
    dispatcher: Dispatcher
    subscribers: list[Callable[[], None]] = field(default_factory=list)
    """Called when a call has ended or a block was mined: sessions and live pages look for news."""

    def for_polls(self) -> NetworkService:
        """The same service for `devchain watch`, whose polls the log marks."""
        observe = partial(self.reporter.report_call, via=WATCH)
        return replace(self, dispatcher=Dispatcher(self.node, observe))

    def notify(self) -> None:
        for look_for_news in tuple(self.subscribers):
            look_for_news()

    async def tick(self) -> None:
        """Mine the block that has become due, report it and notify subscribers."""
        while True:
            fork = self.node.fork
            try:
                with fork.deferring() if fork else nullcontext():
                    self.node.tick()
                break
            except ForkCacheMiss as missing:
                assert fork  # noqa: S101  # nothing else raises it
                await asyncio.wrap_future(fork.cache.fetch_in_background(missing))
        self.reporter.report_blocks()
        self.notify()


@dataclass(frozen=True, slots=True)
class Router:
    """Finds the network that a path names; the first one is the default."""

    config: Config
    services: Mapping[str, NetworkService]
    observe: Observer | None
    scheduler: Scheduler = field(default_factory=Scheduler)
    close_websockets: list[Callable[[], None]] = field(default_factory=list)
    """Close the WebSockets of the Quart application; called when the server stops."""

    @classmethod
    def of(cls, nodes: Mapping[str, Node], config: Config, observe: Observer | None) -> Router:
        services = {}
        for name, node in nodes.items():
            reporter = ActivityReporter(name, node, observe)
            dispatcher = Dispatcher(node, reporter.report_call if observe else None)
            services[name] = NetworkService(node, reporter, dispatcher)
        return cls(config, services, observe)

    @property
    def default(self) -> NetworkService:
        return next(iter(self.services.values()))

    def check_headers(self, host: str, origins: Iterable[str]) -> None:
        access_control.check_host(host, self.config)
        access_control.check_origin(origins, self.config)

    def has_explorer_at(self, path: str) -> bool:
        return self.config.explorer and access_control.is_explorer(path)

    def route(self, path: str, peer: str | None, agent: bytes | None = None) -> NetworkService:
        """The network that a path names, for a client with that `User-Agent`; raises `Refused`."""
        if path.strip("/") == access_control.HEALTH:
            raise access_control.wrong_method("POST", "/health")
        target = access_control.resolve(path, self.services)
        if target is None:
            raise access_control.not_found(self.services)
        network, key = target
        service = self.services[network]
        access_control.check_peer(service.node.peers, peer)
        try:
            access_control.check_key(key, self.config)
        except access_control.Refused:
            service.node.peers.count_bad_request(peer)
            raise
        is_watch = agent == WATCH.encode() and not self.config.hosted
        return service.for_polls() if is_watch else service


@contextmanager
def mining_by_interval(services: Iterable[NetworkService]) -> Iterator[None]:
    tasks = [asyncio.create_task(_mine_when_due(service)) for service in services]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()


async def _mine_when_due(service: NetworkService) -> None:
    node = service.node
    while True:
        due = node.miner.seconds_until_due()
        await asyncio.sleep(POLL_SECONDS if due is None else min(max(due, 0), POLL_SECONDS))
        try:
            await service.tick()
        except Exception as error:
            is_bug = not isinstance(error, DevchainError)
            text = "interval mining on %s failed: %s"
            log.error(text, node.config.network, error, exc_info=is_bug)  # noqa: TRY400
            await asyncio.sleep(1)


async def read_body(request: Request, limit: int) -> bytes:
    """The request's body, at most so many bytes; in pieces, as growing buffers fragment memory."""
    pieces, size = list[bytes](), 0
    try:
        async with asyncio.timeout(limits.BODY_SECONDS):
            if (request.content_length or 0) <= limit:
                async for chunk in request.body:
                    pieces.append(chunk)
                    size += len(chunk)
                    if size > limit:
                        break
                else:
                    return b"".join(pieces)
    except TimeoutError:
        raise access_control.too_slow(limits.BODY_SECONDS) from None
    pieces.clear()
    with suppress(TimeoutError):  # a client that is still sending would not see the answer
        async with asyncio.timeout(limits.LINGER_SECONDS):
            async for _ in request.body:
                pass
    raise access_control.too_large(limit)
