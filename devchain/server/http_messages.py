"""HTTP messages: a request as far as it has arrived, and the head of a response as bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Literal, Protocol
from urllib.parse import unquote

from httptools import HttpParserInvalidURLError, parse_url

from devchain.server.access_control import Malformed, Refused
from devchain.server.connection import FlowControl
from devchain.server.router import NetworkService


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


def header_lines(headers: Iterable[tuple[str, str]]) -> bytes:
    """Headers as they are sent; names in lower case."""
    return "".join(f"{name.lower()}: {value}\r\n" for name, value in headers).encode("latin-1")


def response_head(status: int, headers: dict[str, str], length: int) -> bytes:
    """The head of a response with a body of that length."""
    lines = header_lines([*headers.items(), ("content-length", str(length))])
    return status_line(status) + date_line() + lines + b"\r\n"


def status_line(status: int) -> bytes:
    """The first line of a response."""
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    return f"HTTP/1.1 {status} {phrase}\r\n".encode()


def date_line() -> bytes:
    """The `date` header, made once a second."""
    return _date_line_at(int(asyncio.get_running_loop().time()))


@lru_cache(maxsize=1)
def _date_line_at(second: int) -> bytes:
    del second
    return f"date: {formatdate(usegmt=True)}\r\n".encode()
