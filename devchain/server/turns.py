"""Answering one body at a time, so that a long batch lets others in between its calls."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator

TURN_SECONDS = 0.02
"""How long a batch runs before other connections get a turn."""

OTHERS_SECONDS = 0.002
"""How long the others' turn is: a connection needs several rounds of the loop to be answered."""

Steps = Generator[None, None, bytes | None]
Deliver = Callable[[bytes | None], None]


def take_turns(steps: Steps, deliver: Deliver, fail: Callable[[Exception], None]) -> None:
    """Run the steps of an answer, then deliver it; all at once unless it takes long."""
    since = time.monotonic()
    while True:
        try:
            next(steps)
        except StopIteration as end:
            deliver(end.value)
            return
        except Exception as error:  # noqa: BLE001  # a bug is the caller's to report
            fail(error)
            return
        if time.monotonic() - since > TURN_SECONDS:
            loop = asyncio.get_running_loop()
            loop.call_later(OTHERS_SECONDS, take_turns, steps, deliver, fail)
            return


async def answer_of(steps: Steps) -> bytes | None:
    """The answer that the steps make."""
    done: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()

    def deliver(answer: bytes | None) -> None:
        if not done.done():  # whoever waited may be gone
            done.set_result(answer)

    def fail(error: Exception) -> None:
        if not done.done():
            done.set_exception(error)

    take_turns(steps, deliver, fail)
    return await done
