"""HTTP messages: a request as far as it has arrived, and the head of a response as bytes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Literal, Protocol
from urllib.parse import unquote

from httptools import HttpParserInvalidURLError, parse_url

from devchain.server import limits
from devchain.server.access_control import Malformed, Refused
from devchain.server.connection import FlowControl
from devchain.server.router import NetworkService

VERSIONS = ("1.0", "1.1")
"""The versions of HTTP that are answered."""


class BodyReader(Protocol):
    """What reads a request's body while it arrives: a call of the application."""

    def wake(self) -> None:
        """More of the body has arrived."""

    def disconnect(self) -> None:
        """No more of the body will arrive."""


class ResponseConnection(Protocol):
    """The connection of a request, as an application needs it to answer."""

    transport: asyncio.Transport
    flow: FlowControl

    def write(self, data: bytes) -> None:
        """Send bytes, unless the connection is closing."""

    def keep(self, size: int) -> None:
        """Count bytes that the request under way keeps until it is answered."""

    def take_body(self, request: HttpRequest) -> bytes:
        """What has arrived of a request's body and was not taken yet."""

    def finish(self, *, keep_alive: bool) -> None:
        """End with the current request: go on with the next, or close."""

    def fail(self, error: Exception, *, is_started: bool = False) -> None:
        """Answer a request that met a bug, unless its answer has begun, and close."""


@dataclass(slots=True)
class HttpRequest:
    """A request as far as it has arrived, and how it is to be answered."""

    method: bytes
    target: bytes
    fields: list[tuple[bytes, bytes]]
    version: str
    keep_alive: bool
    kind: Literal["direct", "refused", "websocket", "app"] = "app"
    service: NetworkService | None = None  # direct and websocket
    refusal: Refused | None = None
    extra_headers: bytes = b""  # of a direct answer
    chunks: list[bytes] = field(default_factory=list)
    size: int = 0  # of the chunks
    missing: int = 0  # bytes of a body of known length that have not arrived
    taken: int = 0  # bytes of the body that the application has read
    framing: int = 0  # bytes between the parts of a chunked body
    is_complete: bool = False
    is_answered: bool = False
    call: BodyReader | None = None

    @property
    def path(self) -> str:
        """The path without query and escapes; raises `Malformed`."""
        try:
            path = (parse_url(self.target).path or b"/").decode("ascii")
        except (HttpParserInvalidURLError, UnicodeDecodeError):
            raise Malformed from None
        return unquote(path) if "%" in path else path

    @property
    def authority(self) -> str | None:
        """The host of an absolute target, with its port; None if the target is a path."""
        if self.target.startswith(b"/") or (self.target == b"*" and self.method == b"OPTIONS"):
            return None
        scheme, separator, rest = self.target.partition(b"://")
        if not separator or scheme.lower() not in {b"http", b"https"}:
            raise Malformed
        return re.split(rb"[/?#]", rest, maxsplit=1)[0].decode("latin-1")

    def check_size(self) -> None:
        """Refuse a head that is too large."""
        size = len(self.target) + sum(len(name) + len(value) + 4 for name, value in self.fields)
        if size > limits.MAX_HEAD_BYTES:
            raise Malformed(431)

    def check_head(self, headers: Mapping[bytes, bytes]) -> None:
        """Raise `Malformed` for a head that two servers could read differently.

        A body has either one length, which httptools checks, or the one coding `chunked`, so that
        no part of it can be taken for the next request.
        """
        if self.version not in VERSIONS:
            raise Malformed
        host = headers.get(b"host")
        if self.version == "1.1" if host is None else b"," in host:
            raise Malformed
        coding = headers.get(b"transfer-encoding")
        if coding is not None and (
            coding.strip().lower() != b"chunked"
            or self.version != "1.1"
            or b"content-length" in headers
        ):
            raise Malformed
        if b"#" in self.target:
            raise Malformed

    def headers(self) -> dict[bytes, bytes]:
        """Values by name in lower case; those of a repeated header are joined."""
        found: dict[bytes, bytes] = {}
        for name, value in self.fields:
            lower = name.lower()
            found[lower] = found[lower] + b", " + value if lower in found else value
        return found

    def head_bytes(self, *, without: Iterable[bytes] = ()) -> bytes:
        """The request line and the headers, but for some."""
        kept = (each for each in self.fields if each[0].lower() not in without)
        lines = b"".join(b"%s: %s\r\n" % each for each in kept)
        return b"%s %s HTTP/%s\r\n%s\r\n" % (self.method, self.target, self.version.encode(), lines)


@dataclass(frozen=True, slots=True)
class KnownHead:
    """The head of a plain request that was accepted, and the length of the body behind it."""

    head: bytes
    request: HttpRequest
    """As it is when its body has been read: answering it changes nothing in it."""
    service: NetworkService
    size: int


class KnownHeads:
    """Heads of plain requests that were accepted, by their bytes: not to be parsed again.

    All connections of a server have the same. Nothing in it depends on the client, but for its
    address, which may be banned later.
    """

    def __init__(self) -> None:
        self._found: dict[bytes, KnownHead] = {}
        self.get = self._found.get

    def add(self, known: KnownHead) -> None:
        """Remember a head, unless it is long; of too many all are forgotten."""
        if len(known.head) > limits.MAX_KNOWN_HEAD_BYTES:
            return
        if len(self._found) >= limits.MAX_KNOWN_HEADS:
            self._found.clear()
        self._found[known.head] = known


def header_lines(headers: Iterable[tuple[str, str]]) -> bytes:
    """Headers as they are sent; names in lower case."""
    return "".join(f"{name.lower()}: {value}\r\n" for name, value in headers).encode("latin-1")


def response_head(status: int, headers: dict[str, str], length: int) -> bytes:
    """The head of a response with a body of that length."""
    lines = header_lines([*headers.items(), ("content-length", str(length))])
    second = int(asyncio.get_running_loop().time())
    return status_line(status) + date_line(second) + lines + b"\r\n"


def status_line(status: int) -> bytes:
    """The first line of a response."""
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    return f"HTTP/1.1 {status} {phrase}\r\n".encode()


@lru_cache(maxsize=1)
def date_line(second: int) -> bytes:
    """The `date` header, made once in each second of the event loop's clock."""
    del second
    return f"date: {formatdate(usegmt=True)}\r\n".encode()
