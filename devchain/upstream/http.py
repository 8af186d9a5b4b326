"""HTTP to a node, as forks and the JSON-RPC client share it: headers, error texts, threads."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

HEADERS = {"User-Agent": "devchain", "Content-Type": "application/json", "Accept-Encoding": "gzip"}


def error_text(error: Exception) -> str:
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
