"""HTTP exchanges within limits: one deadline for all of it, and bytes counted as they come.

httpcore's timeouts are for each read and each write: an answer that comes byte by byte never ends.
It hands the values of its extension `timeout` to the streams of its connections as they are. Here
these are an `Exchange`, which knows how many seconds and bytes are left, and the streams ask it.

Functions import this module: httpcore takes a tenth of a second, which nodes that stay offline and
commands that call none need not wait.
"""

from __future__ import annotations

import socket
import time
import zlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from weakref import finalize

import httpcore

from devchain.text import printable, shorten

CONNECT_SECONDS = 10.0
KEEP_ALIVE_SECONDS = 30.0
WRITE_BYTES = 16_384  # what is sent between two looks at the deadline
FRAMING_BYTES = 131_072
"""What may be received besides the body, and a sixteenth of it: heads, sizes of chunks. What comes
in chunks of a byte takes a thousand times as long to read as it should."""
GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
SHOWN_ENCODING = 40


class AnswerRefused(Exception):
    """An answer that is not read: it is too large, or encoded as it was not asked for."""


class Answer(NamedTuple):
    """An HTTP response, its body decoded; names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class Exchange:
    """What a request and its answer may take, from connecting to the last byte."""

    def __init__(
        self, seconds: float, max_bytes: int, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin now; the body may have `max_bytes`, as it is sent and decoded."""
        self._monotonic = monotonic
        self._ends = monotonic() + seconds
        self.max_bytes = max_bytes
        self._framing_left = FRAMING_BYTES

    def seconds_left(self) -> float:
        """Seconds until it has to end; raises httpcore's `ReadTimeout` once there are none."""
        left = self._ends - self._monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left

    def count(self, received: int, body: int = 0) -> None:
        """Count bytes that have come, and those of the body among them; raises `AnswerRefused`."""
        self._framing_left += body + body // 16 - received
        if self._framing_left < 0:
            raise AnswerRefused(f"answers more than {FRAMING_BYTES:,} bytes besides the body")


class _Stream(httpcore.NetworkStream):
    # Its `timeout`s are an `Exchange`.

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: Any = None) -> bytes:
        content = self._stream.read(max_bytes, timeout.seconds_left())
        timeout.count(len(content))
        return content

    def write(self, buffer: bytes, timeout: Any = None) -> None:
        for start in range(0, len(buffer), WRITE_BYTES):
            self._stream.write(buffer[start : start + WRITE_BYTES], timeout.seconds_left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: Any = None
    ) -> httpcore.NetworkStream:
        seconds = timeout.seconds_left()
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, seconds))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpcore.ConnectError(str(error)) from error
    return [str(address[0]) for *_, address in found]


class _Backend(httpcore.SyncBackend):
    def connect_tcp(  # type: ignore[override]  # httpcore gives the other arguments by name
        self, host: str, port: int, timeout: Any = None, **options: Any
    ) -> httpcore.NetworkStream:
        # httpcore would give each of a host's addresses all the time.
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses(host, port):
            try:
                seconds = min(timeout.seconds_left(), CONNECT_SECONDS)
                return _Stream(super().connect_tcp(address, port, seconds, **options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


class Connections:
    """Connections to nodes, kept open between requests; in any thread."""

    def __init__(self, *, is_encrypted: bool, limit: int = 1) -> None:
        # Loading them takes long, and httpcore would do so for each connection.
        certificates = httpcore.default_ssl_context() if is_encrypted else None
        self._pool = httpcore.ConnectionPool(
            certificates,
            max_connections=limit,
            keepalive_expiry=KEEP_ALIVE_SECONDS,
            network_backend=_Backend(),
        )
        finalize(self, self._pool.close)  # clients are often dropped without being closed

    def close(self) -> None:
        self._pool.close()

    def post(
        self, url: str, headers: Mapping[str, str], content: bytes, exchange: Exchange
    ) -> Answer:
        """The answer to a request; raises `AnswerRefused`, or an exception of httpcore."""
        limits: dict[str, Any] = dict.fromkeys(("connect", "read", "write"), exchange)
        limits["pool"] = exchange.seconds_left()
        with self._pool.stream(
            "POST", url, headers=[*headers.items()], content=content, extensions={"timeout": limits}
        ) as response:
            named = [(name.decode("latin-1").lower(), value) for name, value in response.headers]
            answered = {name: value.decode("latin-1") for name, value in named}
            encoding = b", ".join(value for name, value in named if name == "content-encoding")
            try:
                body = _body(response, encoding.decode("latin-1").lower(), exchange)
            except AnswerRefused:
                if response.status < 300:
                    raise
                body = b""  # the status says enough
        return Answer(response.status, answered, body)


def _body(response: httpcore.Response, encoding: str, exchange: Exchange) -> bytes:
    decoder = None
    if encoding in {"gzip", "x-gzip", "deflate"}:
        decoder = zlib.decompressobj(GZIP_OR_ZLIB)
    elif encoding not in {"", "identity"}:
        shown = shorten(printable(encoding), SHOWN_ENCODING)
        raise AnswerRefused(f"answers with Content-Encoding {shown}: only gzip is understood")
    body, received = bytearray(), 0
    for content in response.iter_stream():
        exchange.count(0, len(content))
        received += len(content)
        part = content
        if decoder is not None:
            if decoder.eof:
                raise httpcore.RemoteProtocolError("bytes after the end of a compressed body")
            try:
                part = decoder.decompress(content, exchange.max_bytes - len(body) + 1)
            except zlib.error as error:
                raise httpcore.RemoteProtocolError(str(error)) from error
        body += part
        if max(received, len(body)) > exchange.max_bytes:
            size = f"{exchange.max_bytes:,} bytes"
            raise AnswerRefused(f"answers more than {size}, too much for this request")
    return bytes(body)
