"""hypercorn as the server of the Quart application, for HTTPS, WSS and HTTP/2."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from hypercorn.asyncio import serve
from hypercorn.config import Config as HypercornConfig
from quart import Quart

from devchain.config import Config
from devchain.errors import ConfigError
from devchain.files import read_file
from devchain.server import limits
from devchain.server.app import quart_app
from devchain.server.router import Router

MANY_REQUESTS = 10**9
MAX_PEM_SIZE = 2**20

_log = logging.getLogger("hypercorn.error")
# A client that has ended TLS, or is gone, is no error of the server.
_log.addFilter(lambda record: not (record.exc_info and isinstance(record.exc_info[1], OSError)))


def check_certificate(config: Config) -> None:
    """Raise `ConfigError` for a certificate or key that cannot be served."""
    text = ""
    for option, mark, content in (
        ("tls_cert", "-----BEGIN CERTIFICATE-----", "certificate"),
        ("tls_key", "PRIVATE KEY-----", "private key"),
    ):
        path, name = getattr(config, option), option.replace("_", "-")
        try:
            text = read_file(Path(path).expanduser(), MAX_PEM_SIZE).decode("latin-1")
        except OSError as error:
            raise ConfigError(f"cannot read --{name} {path}: {error.strerror}") from None
        if mark not in text:
            raise ConfigError(f"--{name} {path} has no {content} in PEM format")
    if "ENCRYPTED" in text:  # the key
        raise ConfigError(
            f"--tls-key {config.tls_key} has a passphrase; write one without:"
            f" openssl pkey -in {config.tls_key} -out key.pem"
        )
    try:
        _hypercorn_config(config).create_ssl_context()
    except ssl.SSLError as error:
        reason = error.reason or str(error)
        if reason == "KEY_VALUES_MISMATCH":
            raise ConfigError(
                f"--tls-key {config.tls_key} is not the key of the certificate in {config.tls_cert}"
            ) from None
        raise ConfigError(
            f"--tls-cert {config.tls_cert} and --tls-key {config.tls_key} cannot be used: {reason}"
        ) from None


class _Settings(HypercornConfig):
    def create_ssl_context(self) -> ssl.SSLContext | None:
        context = super().create_ssl_context()
        if context:
            # Session tickets of TLS 1.3 arrive while a client writes its first request. A client
            # that reads and writes in two threads (`websockets.sync`) lost 1 request in 400 so.
            context.num_tickets = 0
        return context


def _hypercorn_config(config: Config) -> HypercornConfig:
    settings = _Settings()
    if config.tls_cert and config.tls_key:
        settings.certfile = str(Path(config.tls_cert).expanduser())
        settings.keyfile = str(Path(config.tls_key).expanduser())
    settings.errorlog = _log
    settings.include_server_header = False
    settings.graceful_timeout = limits.GRACE_SECONDS
    settings.keep_alive_timeout = limits.IDLE_SECONDS
    settings.keep_alive_max_requests = MANY_REQUESTS
    settings.h11_max_incomplete_size = settings.h2_max_header_list_size = limits.MAX_HEAD_BYTES
    settings.websocket_max_message_size = limits.max_message(config)
    settings.websocket_ping_interval = limits.PING_SECONDS
    return settings


@asynccontextmanager
async def served_by_hypercorn(
    router: Router, sock: socket.socket, app: Quart | None = None
) -> AsyncIterator[None]:
    """Answer on a listening socket while the context lasts; requests under way may finish.

    Another application than the router's own is served without TLS.
    """
    config = _hypercorn_config(router.config)
    if app:
        config.certfile = config.keyfile = None
    config.bind = [f"fd://{os.dup(sock.fileno())}"]  # which hypercorn closes
    stop = asyncio.Event()
    serving = asyncio.ensure_future(
        serve(app or quart_app(router), config, shutdown_trigger=stop.wait)
    )
    try:
        yield
    finally:
        stop.set()
        for close in tuple(router.close_websockets):
            close()
        # hypercorn waits for clients that do not end TLS; under Python 3.12 for every connection.
        await asyncio.wait({serving}, timeout=2 * limits.GRACE_SECONDS)
        serving.cancel()
        await asyncio.wait({serving}, timeout=limits.GRACE_SECONDS)
