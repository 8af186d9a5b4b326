"""The head of HTTP responses as bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus


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
