"""Running the server: listening sockets, the event loop, signals and a graceful stop."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from devchain.config import Config
from devchain.errors import AddressInUse, ConfigError
from devchain.server import limits

if TYPE_CHECKING:
    # Only for type hints: binding must not wait for these imports.
    from devchain.node import Node
    from devchain.server.events import Observer
    from devchain.server.router import Router

BACKLOG = 1_024

STACK_BYTES = 512 * 2**20
"""The stack of a server's thread: deep calls of contracts are deep calls of Python. Only pages in
use cost memory."""

_ALARM = getattr(signal, "SIGALRM", None)


def bind(host: str, port: int, option: str = "--port") -> socket.socket:
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
        raise _refusal(error, host, port, option) from error
    sock.settimeout(0)  # asyncio requires it
    return sock


def url_of(sock: socket.socket, scheme: str = "http") -> str:
    host, port = sock.getsockname()[:2]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def run(  # noqa: PLR0913  # two of them are sockets
    nodes: Mapping[str, Node],
    config: Config,
    on_ready: Callable[[str], None],
    observe: Observer | None = None,
    sock: socket.socket | None = None,
    *,
    bitcoin_sock: socket.socket | None = None,
) -> None:
    """Serve nodes by network name until SIGINT, SIGTERM or SIGHUP; the first is the default.

    `on_ready` gets the URL once requests are answered. Without a socket from `bind`, one is
    made for the configured address. bitcoind's JSON-RPC is served on `bitcoin_sock`.
    """
    from devchain.server.ipc import unix_listener
    from devchain.server.router import Router

    listening = sock or bind(config.host, config.port)
    router = Router.of(nodes, config, observe)
    with (
        listening,
        unix_listener(config.ipc) if config.ipc else nullcontext() as ipc_sock,
        suppress(KeyboardInterrupt),  # a call that did not end was interrupted
        asyncio.Runner(loop_factory=_loop_factory(config)) as runner,
    ):

        async def main() -> None:
            stop = asyncio.Event()
            with _stopping_on_signals(stop):
                async with _serving_bitcoin(router, bitcoin_sock):
                    on_ready(url_of(listening, config.scheme))
                    await serve(router, listening, stop, ipc_sock)

        runner.run(main())


def _serving_bitcoin(
    router: Router, sock: socket.socket | None
) -> AbstractAsyncContextManager[None]:
    if sock is None:
        return nullcontext()
    from devchain.server.bitcoin import bitcoin_app
    from devchain.server.hypercorn_server import served_by_hypercorn

    return served_by_hypercorn(router, sock, bitcoin_app(router))


@contextmanager
def serve_in_thread(node: Node) -> Iterator[str]:
    """Serve a node over HTTP on a free port of this machine while the context lasts; the URL.

    Use the node itself only while no request is under way: it takes one at a time.
    """
    from devchain.server.router import Router

    sock = bind("127.0.0.1", 0)
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    started = threading.Event()

    def run_loop() -> None:
        try:
            router = Router.of({node.config.network: node}, node.config, None)
            loop.run_until_complete(serve(router, sock, stop, on_started=started.set))
        finally:
            started.set()

    stack_size = threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=run_loop, name="devchain", daemon=True)
    thread.start()
    threading.stack_size(stack_size)
    started.wait()  # from here on that thread uses the node only for a request
    try:
        yield url_of(sock, node.config.scheme)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
        sock.close()


async def serve(
    router: Router,
    sock: socket.socket,
    stop: asyncio.Event,
    ipc_sock: socket.socket | None = None,
    on_started: Callable[[], None] | None = None,
) -> None:
    """Answer on listening sockets until `stop` is set; requests under way may finish."""
    from devchain.server.asgi import LazyApp
    from devchain.server.connection import ConnectionRegistry
    from devchain.server.http import HttpConnection
    from devchain.server.http_messages import RequestHead
    from devchain.server.ipc import IpcConnection
    from devchain.server.router import mining_by_interval

    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_log_loop_error)
    registry = ConnectionRegistry(router.scheduler)
    app = LazyApp(router)
    heads = dict[bytes, RequestHead]()
    servers: list[asyncio.Server] = []
    hypercorn: AbstractAsyncContextManager[None] = nullcontext()

    if router.config.is_served_by_hypercorn:
        from devchain.server.hypercorn_server import served_by_hypercorn

        hypercorn = served_by_hypercorn(router, sock)
    else:
        new_http = partial(HttpConnection, router, app, registry, heads)
        servers.append(await loop.create_server(new_http, sock=sock, backlog=BACKLOG))
    if ipc_sock is not None:
        new_ipc = partial(IpcConnection, router.default, registry)
        servers.append(await loop.create_unix_server(new_ipc, sock=ipc_sock, backlog=BACKLOG))
    try:
        async with hypercorn:
            with mining_by_interval(router.services.values()):
                if on_started:
                    on_started()
                await stop.wait()
    finally:
        for server in servers:
            server.close()
        await registry.close(limits.GRACE_SECONDS)
        await app.close()


def _log_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    quiet = (asyncio.CancelledError, KeyboardInterrupt, ssl.SSLError)  # a failed handshake
    if not isinstance(context.get("exception"), quiet):
        loop.default_exception_handler(context)


def _refusal(error: OSError, host: str, port: int, option: str) -> ConfigError | AddressInUse:
    if error.errno == errno.EADDRINUSE:
        return AddressInUse(
            f"port {port} on {host} is in use by another process;"
            f" choose another with {option}, or {option} 0 for a free one"
        )
    if error.errno == errno.EACCES:
        return ConfigError(
            f"no permission to listen on port {port}; choose one above 1023 with {option}"
        )
    return ConfigError(f"cannot listen on {host}: {error.strerror}; choose another --host")


def _loop_factory(config: Config) -> Callable[[], asyncio.AbstractEventLoop] | None:
    if config.is_served_by_hypercorn:
        return None  # uvloop refuses to be closed while a client has not ended TLS
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


@contextmanager
def _stopping_on_signals(stop: asyncio.Event) -> Iterator[None]:
    # An alarm interrupts a call that keeps the event loop busy for longer than `INTERRUPT_SECONDS`.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()

    def on_signal(number: int, *_: object) -> None:
        if number == _ALARM:
            raise KeyboardInterrupt
        if number not in {signal.SIGINT, signal.SIGTERM}:
            # The shell of a closed terminal sends it again, which must not interrupt a state dump.
            signal.signal(number, signal.SIG_IGN)
        loop.call_soon_threadsafe(stop.set)
        _alarm(limits.INTERRUPT_SECONDS)

    alarms = [] if _ALARM is None else [_ALARM]
    before = {number: signal.signal(number, on_signal) for number in (*stop_signals(), *alarms)}
    try:
        yield
    finally:
        _alarm(0)
        restore_handlers(before)


def stop_signals() -> list[signal.Signals]:
    """The signals that stop a node: SIGINT, SIGTERM, and SIGHUP unless `nohup` ignores it."""
    hangup = getattr(signal, "SIGHUP", None)
    found = [signal.SIGINT, signal.SIGTERM]
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        found.append(hangup)
    return found


def restore_handlers(before: Mapping[signal.Signals, Any]) -> None:
    """Put signal handlers back, but go on ignoring a SIGHUP that has come: it may come twice."""
    for number, handler in before.items():
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _alarm(seconds: float) -> None:
    if _ALARM is not None:
        signal.setitimer(signal.ITIMER_REAL, seconds)
