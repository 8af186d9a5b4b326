"""HTTP to a node, as forks and the JSON-RPC client share it: connections, timeouts, threads.

httpx is imported by the functions that need it: it takes an eighth of a second, which nodes that
stay offline and commands that call none need not wait.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")
R = TypeVar("R")

HEADERS = {"User-Agent": "devchain", "Content-Type": "application/json"}
CONNECT_SECONDS = 10.0
KEEP_ALIVE_SECONDS = 30.0


def new_transport(*, is_encrypted: bool, connections: int = 1) -> httpx.HTTPTransport:
    import ssl  # noqa: PLC0415  # as httpx, see above

    import httpx  # noqa: PLC0415

    # Loading certificates takes 0.1 s; without them no TLS connection is trusted.
    return httpx.HTTPTransport(
        verify=is_encrypted or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        limits=httpx.Limits(max_connections=connections, keepalive_expiry=KEEP_ALIVE_SECONDS),
    )


def timeouts(seconds: float) -> httpx.Timeout:
    import httpx  # noqa: PLC0415  # see above

    return httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))


def error_text(error: Exception) -> str:
    """Why a request failed, without the number of the system's error."""
    text = re.sub(r"^\[Errno -?\d+\] ", "", str(error))
    return text[:1].lower() + text[1:] or type(error).__name__


def in_background(function: Callable[[], R]) -> Future[R]:
    """Run a function in a thread that does not keep the process from ending; its future."""
    future: Future[R] = Future()
    future.set_running_or_notify_cancel()

    def work() -> None:
        try:
            result = function()
        except BaseException as error:  # noqa: BLE001  # raised where the future's result is read
            future.set_exception(error)
        else:
            future.set_result(result)

    Thread(target=work, name="devchain-upstream", daemon=True).start()
    return future


def in_parallel(function: Callable[[T], R], items: Sequence[T], limit: int) -> list[R]:
    """The results for all items, in their order, at most `limit` of them at a time."""
    results: list[R] = []
    for start in range(0, len(items), limit):
        here, *others = items[start : start + limit]
        futures = [in_background(partial(function, item)) for item in others]
        results += [function(here), *(future.result() for future in futures)]
    return results
