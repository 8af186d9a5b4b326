"""Reading the body of a request in the Quart application."""

from __future__ import annotations

import asyncio

from quart import Request

from devchain.server import limits
from devchain.server.access_control import too_large, too_slow


async def read_body(request: Request, limit: int) -> bytes:
    """The request's body; never more than the limit is kept in memory.

    In pieces until it is complete: many buffers that grow at the same time fragment the heap.
    """
    pieces, size = list[bytes](), 0
    try:
        async with asyncio.timeout(limits.BODY_SECONDS):
            if (request.content_length or 0) <= limit:
                async for chunk in request.body:
                    pieces.append(chunk)
                    size += len(chunk)
                    if size > limit:
                        break
                else:
                    return b"".join(pieces)
    except TimeoutError:
        raise too_slow(limits.BODY_SECONDS) from None
    pieces.clear()
    await _discard_body(request)
    raise too_large(limit)


async def _discard_body(request: Request) -> None:
    # Read the rest for a while: a client that is still sending would not see the answer.
    try:
        async with asyncio.timeout(limits.LINGER_SECONDS):
            async for _ in request.body:
                pass
    except TimeoutError:
        pass
