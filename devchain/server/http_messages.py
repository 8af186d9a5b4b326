"""HTTP/1.1 messages: the heads of requests, parsed with httptools, and the heads of responses."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from urllib.parse import unquote

import httptools

from devchain.server.access_control import Malformed, wrong_method
from devchain.server.router import NetworkService

VERSIONS = ("1.0", "1.1")  # the versions of HTTP that are answered


class RequestHead:
    """The request line and the headers of a request.

    Raises `Refused` for one that is not HTTP, and for one that two servers could read differently:
    a body has either one length, which httptools checks, or the one coding `chunked`, so that no
    part of it can be taken for the next request.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.target = b""
        self.fields: list[tuple[bytes, bytes]] = []
        self.headers: dict[bytes, bytes] = {}
        """Values by name in lower case; those of a repeated header are joined."""
        parser = httptools.HttpRequestParser(self)
        is_complete = False
        try:
            parser.feed_data(data)
            is_complete = True
        except httptools.HttpParserUpgrade:
            is_complete = True
        except httptools.HttpParserInvalidMethodError:
            method = data.partition(b" ")[0].decode("latin-1")
            if method.isalpha() and method.isascii():
                raise wrong_method(method, "/") from None
        except httptools.HttpParserError:
            pass
        if not is_complete or data[0] in b"\r\n":  # httptools would skip empty lines
            raise Malformed
        self.method = parser.get_method().decode()
        self.version = parser.get_http_version()
        self.keep_alive = parser.should_keep_alive() and self.version == "1.1"
        for name, value in self.fields:
            lower = name.lower()
            known = self.headers.get(lower)
            self.headers[lower] = value if known is None else known + b", " + value
        host, coding = self.headers.get(b"host"), self.headers.get(b"transfer-encoding")
        self.is_chunked = is_chunked = coding is not None and coding.strip().lower() == b"chunked"
        if (
            self.version not in VERSIONS
            or (self.version == "1.1" if host is None else b"," in host)
            or (coding is not None and not (is_chunked and self.version == "1.1"))
            or (is_chunked and b"content-length" in self.headers)
            or b"#" in self.target
        ):
            raise Malformed
        if self.method == "CONNECT":
            raise wrong_method("CONNECT", "/")
        self.length = int(self.headers.get(b"content-length") or 0)
        """The size of the body, unless it comes in chunks."""
        self.expects_continue = self.header(b"expect").lower() == "100-continue"
        """Whether the client may wait for leave to send the body."""
        try:
            path = (httptools.parse_url(self.target).path or b"/").decode("ascii")
        except (httptools.HttpParserInvalidURLError, UnicodeDecodeError):
            raise Malformed from None
        self.path = unquote(path) if "%" in path else path
        self.authority = self._authority()
        # What the server makes of it
        self.is_plain = False  # a body of known length that is not too long
        self.service: NetworkService | None = None  # of plain JSON-RPC, and of WebSockets
        self.is_websocket = False
        self.extra_headers = b""  # of the answer to plain JSON-RPC

    def on_url(self, target: bytes) -> None:
        """httptools: the target, or a part of it."""
        self.target += target

    def on_header(self, name: bytes, value: bytes) -> None:
        self.fields.append((name, value))

    def on_body(self, _: bytes) -> None:
        """httptools: the head has ended before its empty line."""
        raise Malformed

    def _authority(self) -> str | None:
        # The host of an absolute target, with its port; None if the target is a path.
        if self.target.startswith(b"/") or (self.target == b"*" and self.method == "OPTIONS"):
            return None
        scheme, separator, rest = self.target.partition(b"://")
        if not separator or scheme.lower() not in {b"http", b"https"}:
            raise Malformed
        return re.split(rb"[/?#]", rest, maxsplit=1)[0].decode("latin-1")

    def header(self, name: bytes) -> str:
        return self.headers.get(name, b"").decode("latin-1")


def header_lines(headers: Iterable[tuple[str, str]]) -> bytes:
    return "".join(f"{name.lower()}: {value}\r\n" for name, value in headers).encode("latin-1")


def response_head(status: int, headers: Iterable[tuple[str, str]]) -> bytes:
    second = int(asyncio.get_running_loop().time())
    return status_line(status) + date_line(second) + header_lines(headers) + b"\r\n"


def status_line(status: int) -> bytes:
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
