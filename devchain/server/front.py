"""What every connection is checked against and answered from, whatever it speaks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from devchain.config import Config
from devchain.node.peers import PeerEvent
from devchain.rpc.dispatch import Dispatcher
from devchain.server import access
from devchain.server.checks import (
    HEALTH,
    NO_KEY,
    WRONG_KEY,
    Refused,
    check_host,
    check_origin,
    check_peer,
    not_found,
    wrong_verb,
)
from devchain.server.events import NodeWatch, Observer
from devchain.server.sessions import Feed, Line, Session

if TYPE_CHECKING:
    from devchain.node import Node


@dataclass(frozen=True, slots=True)
class Service:
    """One network's node, the way requests from outside reach it."""

    node: Node
    watch: NodeWatch
    dispatcher: Dispatcher
    feed: Feed

    def session(
        self,
        via: str,
        peer: str | None,
        transport: asyncio.Transport,
        send: Callable[[bytes], None],
        drop: Callable[[str], None],
    ) -> Session:
        """A connection that lasts; `via` is what the log calls it."""
        observe = partial(self.watch.served, via=via)
        return Session(self.node, self.feed, Line(send, drop, peer, transport), observe)

    def tick(self) -> None:
        """Make the block that has become due, and tell of it."""
        self.node.tick()
        self.watch.look()
        self.feed.drain()


@dataclass(frozen=True, slots=True)
class Front:
    """The services by network name, the first of which is the default, and their rules."""

    config: Config
    services: Mapping[str, Service]
    observe: Observer | None

    @classmethod
    def of(cls, nodes: Mapping[str, Node], config: Config, observe: Observer | None) -> Front:
        """The front of those nodes."""
        return cls(config, {name: _service(name, nodes[name], observe) for name in nodes}, observe)

    @property
    def default(self) -> Service:
        """The service of the first network."""
        return next(iter(self.services.values()))

    def check_page(self, host: str, origins: Iterable[str]) -> None:
        """Refuse a foreign `Host`, and pages of a foreign `Origin`."""
        check_host(host, self.config)
        check_origin(origins, self.config)

    def admitted(self, path: str, peer: str | None) -> Service:
        """The service a path names, for a client at that address; raises `Refused`."""
        if path.strip("/") == HEALTH:
            raise wrong_verb("POST", "/health")
        target = access.resolve(path, self.services)
        if target is None:
            raise not_found(self.services)
        service = self.services[target.network]
        check_peer(service.node.peers, peer)
        if not access.key_accepted(target.key, self.config.api_key):
            service.node.peers.record(peer, PeerEvent.REFUSED)
            raise Refused(401, WRONG_KEY if target.key else NO_KEY)
        return service


def _service(name: str, node: Node, observe: Observer | None) -> Service:
    watch = NodeWatch(name, node, observe)
    return Service(node, watch, Dispatcher(node, watch.served if observe else None), Feed())
