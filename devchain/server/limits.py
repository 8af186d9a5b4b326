"""The limits of connections: bytes, seconds and counts. `Config` has those that users set.

A constant with a `Limit` is a row of the table of limits in `docs/config.md`.
"""

from __future__ import annotations

from typing import Annotated

from devchain.config import Limit

# HTTP

MAX_HEAD_BYTES: Annotated[
    int,
    Limit("HTTP", "Request line and headers of a request.", "431; the connection closes.", "bytes"),
] = 16_384

MAX_KNOWN_HEADS = 16
"""How many heads of plain requests a connection remembers, so as not to parse them again."""

MAX_DIRECT_BODY_BYTES = 1_048_576
"""The longest body that is answered without the Quart application."""

DIRECT_BODY_SECONDS = 0.5
"""How long the body of a plain request may take before the Quart application waits for it."""

BODY_SECONDS: Annotated[
    float,
    Limit("HTTP", "Time for a body to arrive.", "408; the connection closes.", "seconds"),
] = 30.0

LINGER_SECONDS = 2.0
"""How long the rest of a body that is too large is read, so that its sender sees the answer."""

IDLE_SECONDS: Annotated[
    float, Limit("HTTP", "Time without data.", "The connection closes.", "seconds")
] = 60.0

# WebSocket

PING_SECONDS = 30.0
"""How often a WebSocket is pinged."""

MAX_UNANSWERED_PINGS: Annotated[
    int,
    Limit(
        "WebSocket",
        f"Pings, one every {PING_SECONDS:g} seconds, without data from the client.",
        "The connection is dropped.",
    ),
] = 10

CLOSE_SECONDS: Annotated[
    float,
    Limit("WebSocket", "Time to answer a close frame.", "The connection is dropped.", "seconds"),
] = 1.0

# All connections

MAX_WAITING_BYTES: Annotated[
    int,
    Limit(
        "Connections",
        "Input of a connection that waits to be answered.",
        "The connection is not read until some of it is answered.",
        "bytes",
    ),
] = 2 * MAX_DIRECT_BODY_BYTES

WAITING_OVERHEAD_BYTES = 200
"""What a waiting request counts besides its body, so that many small ones are limited, too."""

MAX_UNSENT_NOTIFICATIONS: Annotated[
    int,
    Limit(
        "Connections",
        "Notifications that wait for a client that does not read.",
        "The connection closes: 1008 over WebSocket.",
    ),
] = 20_000

TURN_SECONDS: Annotated[
    float,
    Limit(
        "Connections",
        "Work for a connection at a time.",
        "Other connections are served before it goes on. A single call is not interrupted.",
        "seconds",
    ),
] = 0.02

YIELD_SECONDS = 0.002
"""How long a batch then waits: answering a connection takes several rounds of the event loop."""

GRACE_SECONDS: Annotated[
    float,
    Limit(
        "Connections",
        "Time for requests under way to finish when the server stops.",
        "The connection is dropped.",
        "seconds",
    ),
] = 0.5

INTERRUPT_SECONDS = 1.5
"""After how long a call that keeps the server from stopping is interrupted."""
