"""Serving under hypercorn: the socket, the event loop and a graceful stop."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from devchain.config import Config
from devchain.errors import AddressInUse, ConfigError

if TYPE_CHECKING:
    # Only for the hints: binding must not wait for these imports.
    from devchain.node import Node
    from devchain.server.events import Observer
    from devchain.server.front import Front

BACKLOG = 1_024
GRACE_SECONDS = 0.5
"""How long a request under way may take to finish when the server stops."""

PATIENCE_SECONDS = 1.5
"""After how long a call that keeps the server from stopping is interrupted."""

_ALARM = getattr(signal, "SIGALRM", None)


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one.

    Raises `AddressInUse` when another process has the port, `ConfigError` when the address
    cannot be listened on. Connections wait in it until `run` answers them.
    """
    sock: socket.socket | None = None
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, protocol)
        if os.name == "posix":
            # Elsewhere this option lets two processes share the port.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError as error:
        if sock is not None:
            sock.close()
        raise _refusal(error, host, port) from error
    sock.settimeout(0)  # as asyncio wants it
    return sock


def url_of(sock: socket.socket) -> str:
    """The URL a listening socket is reached at."""
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(
    nodes: Mapping[str, Node],
    config: Config,
    on_ready: Callable[[str], None],
    observe: Observer | None = None,
    sock: socket.socket | None = None,
) -> None:
    """Serve nodes by network name until SIGINT or SIGTERM; the first is the default.

    `on_ready` gets the URL once requests are answered. Without a socket from `bind`, one is
    made for the configured address.
    """
    from devchain.server.front import Front
    from devchain.server.ipc import bound

    listening = sock or bind(config.host, config.port)
    front = Front.of(nodes, config, observe)
    with (
        listening,
        bound(config.ipc) if config.ipc else nullcontext() as pipe,
        suppress(KeyboardInterrupt),  # a call that would not end was interrupted
        asyncio.Runner(loop_factory=_loop_factory()) as runner,
    ):
        runner.run(_serve_until_signal(front, listening, pipe, on_ready))


async def _serve_until_signal(
    front: Front,
    sock: socket.socket,
    pipe: socket.socket | None,
    on_ready: Callable[[str], None],
) -> None:
    stop = asyncio.Event()
    with _stopping_on_signals(stop):
        on_ready(url_of(sock))
        await serve(front, sock, stop, pipe)


async def serve(
    front: Front,
    sock: socket.socket,
    stop: asyncio.Event,
    pipe: socket.socket | None = None,
    started: Callable[[], None] | None = None,
) -> None:
    """Answer on a listening socket until `stop` is set; what is under way may finish.

    `pipe` is a unix socket that listens, for IPC; `started` is called when all is set up.
    """
    from devchain.server.door import Doors
    from devchain.server.house import House
    from devchain.server.intervals import mining
    from devchain.server.later import Later

    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_report)
    full = Later(front)
    house = House()
    doors = Doors(front, full.handle, house)
    servers = [await loop.create_server(doors.door, sock=sock, backlog=BACKLOG)]
    if pipe is not None:
        servers.append(await loop.create_unix_server(doors.pipe, sock=pipe, backlog=BACKLOG))
    try:
        with mining(front.services.values()):
            if started:
                started()
            await stop.wait()
    finally:
        for server in servers:
            server.close()
        await asyncio.gather(house.close(GRACE_SECONDS), full.close(GRACE_SECONDS))


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what went wrong in the loop, save for requests and calls cut off by the stop.

    Python 3.11's streams take those for errors.
    """
    if not isinstance(context.get("exception"), (asyncio.CancelledError, KeyboardInterrupt)):
        loop.default_exception_handler(context)


def _refusal(error: OSError, host: str, port: int) -> ConfigError | AddressInUse:
    if error.errno == errno.EADDRINUSE:
        return AddressInUse(
            f"port {port} on {host} is in use by another process;"
            " choose another with --port, or --port 0 for a free one"
        )
    if error.errno == errno.EACCES:
        return ConfigError(
            f"no permission to listen on port {port}; choose one above 1023 with --port"
        )
    return ConfigError(f"cannot listen on {host}: {error.strerror}; choose another --host")


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


@contextmanager
def _stopping_on_signals(stop: asyncio.Event) -> Iterator[None]:
    """While it is open SIGINT and SIGTERM set `stop`.

    When a long call keeps the event loop from noticing, an alarm interrupts it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()

    def on_signal(number: int, *_: object) -> None:
        if number == _ALARM:
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(stop.set)
        _alarm(PATIENCE_SECONDS)

    before = {each: signal.signal(each, on_signal) for each in _signals()}
    try:
        yield
    finally:
        _alarm(0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _signals() -> list[int]:
    return [each for each in (signal.SIGINT, signal.SIGTERM, _ALARM) if each is not None]


def _alarm(seconds: float) -> None:
    if _ALARM is not None:
        signal.setitimer(signal.ITIMER_REAL, seconds)
