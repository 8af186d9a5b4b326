"""Reading the head of a plain HTTP/1.1 request; what is not plain is left to a full server."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

LARGEST = 16_384
"""The longest head that is read here."""

END = b"\r\n\r\n"
_LINE = b"\r\n"
_TOKEN = frozenset(b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")
_CONTROLS = bytes(range(32)) + b"\x7f"


@dataclass(frozen=True)
class Head:
    """What the first lines of a request say; header names are in lower case."""

    verb: bytes
    target: bytes
    headers: dict[bytes, bytes]

    @cached_property
    def path(self) -> str:
        """The path asked for, without its query."""
        path = self.target.partition(b"?")[0].decode("ascii")
        return unquote(path) if "%" in path else path

    def header(self, name: bytes) -> str:
        """A header's value, empty if it is absent."""
        return self.headers.get(name, b"").decode("latin-1")

    @property
    def is_upgrade(self) -> bool:
        """Whether the connection is to become a WebSocket."""
        return self.verb == b"GET" and self.headers.get(b"upgrade", b"").lower() == b"websocket"

    @property
    def body_length(self) -> int | None:
        """How long the body is, if that is said in the plain way and nothing else is asked for."""
        length = self.headers.get(b"content-length", b"")
        if not length.isdigit() or len(length) > 12 or self.headers.keys() & _SPECIAL:
            return None
        if self.headers.get(b"connection", b"keep-alive").lower() != b"keep-alive":
            return None
        return int(length)


_SPECIAL = {b"transfer-encoding", b"expect", b"upgrade", b"content-encoding"}


def read(lines: bytes) -> Head | None:
    """The head in those lines, without the empty one that ends it; None if it is not plain."""
    first, *fields = lines.split(_LINE)
    words = first.split(b" ")
    if len(words) != 3 or words[2] != b"HTTP/1.1" or not words[1].startswith(b"/"):
        return None
    if not words[1].isascii() or lines.translate(None, _CONTROLS) != lines.replace(_LINE, b""):
        return None
    headers: dict[bytes, bytes] = {}
    for each in fields:
        name, colon, value = each.partition(b":")
        name = name.lower()
        if not colon or not name or not _TOKEN.issuperset(name):
            return None
        headers[name] = headers[name] + b", " + value.strip() if name in headers else value.strip()
    return Head(words[0], words[1], headers)
