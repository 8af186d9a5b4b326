"""Worker threads that do not keep the process from ending, unlike those of an executor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_background(function: Callable[[], R]) -> Future[R]:
    """Run a function in a thread of its own; the future of its result or exception."""
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
    """The results for all items, in their order, at most `limit` of them at a time.

    The first is computed in the caller's thread; the first exception is raised when all are done.
    """
    queue = list(enumerate(items))[::-1]  # `pop` is atomic
    results: dict[int, R] = {}

    def work() -> None:
        while queue:
            try:
                place, item = queue.pop()
            except IndexError:  # another thread was faster
                return
            results[place] = function(item)

    others = [in_background(work) for _ in range(min(limit, len(items)) - 1)]
    try:
        work()
    finally:
        errors = [error for other in others if (error := other.exception()) is not None]
    for each in errors:
        raise each
    return [results[place] for place in range(len(items))]
