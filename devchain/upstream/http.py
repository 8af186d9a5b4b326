"""HTTP to a node, as forks and the JSON-RPC client share it: connections, timeouts, words.

httpx is imported by the functions that need it: it takes an eighth of a second, which nodes that
stay offline and commands that call none need not wait.
"""

from __future__ import annotations

import re
import ssl
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

HEADERS = {"User-Agent": "devchain", "Content-Type": "application/json"}
CONNECT_SECONDS = 10.0
KEEP_ALIVE_SECONDS = 30.0


def new_transport(*, is_encrypted: bool, connections: int = 1) -> httpx.HTTPTransport:
    """Connections that are kept open between requests, at most so many at a time."""
    import httpx  # noqa: PLC0415  # see above

    # Loading certificates takes 0.1 s; without them no TLS connection is trusted.
    return httpx.HTTPTransport(
        verify=is_encrypted or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        limits=httpx.Limits(max_connections=connections, keepalive_expiry=KEEP_ALIVE_SECONDS),
    )


def timeouts(seconds: float) -> httpx.Timeout:
    """The timeouts of a request that may take so long."""
    import httpx  # noqa: PLC0415  # see above

    return httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))


def error_text(error: Exception) -> str:
    """Why a request failed, without the number of the system's error."""
    text = re.sub(r"^\[Errno -?\d+\] ", "", str(error))
    return text[:1].lower() + text[1:] or type(error).__name__
