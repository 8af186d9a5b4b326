"""The limits of connections: bytes, seconds and counts.

`Config` has those that users set, such as `max_body`. A constant with a `Limit` is a
row of the table of limits in `docs/config.md`.
"""

from __future__ import annotations

from typing import Annotated

from devchain.config import Config, Limit

# HTTP

MAX_HEAD_BYTES: Annotated[
    int,
    Limit("HTTP", "Request line and headers of a request.", "431; the connection closes.", "bytes"),
] = 16_384

MAX_KNOWN_HEADS = 512  # of plain requests, remembered so as not to parse them again

BODY_SECONDS: Annotated[
    float, Limit("HTTP", "Time for a body to arrive.", "408; the connection closes.", "seconds")
] = 30.0

LINGER_SECONDS = 2.0  # for the rest of a refused request: its sender sees the answer

IDLE_SECONDS: Annotated[
    float, Limit("HTTP", "Time without data.", "The connection closes.", "seconds")
] = 60.0

# WebSocket


def max_message(config: Config) -> int:
    """The bytes that a message of WebSocket or IPC may have: those of a body of HTTP."""
    return config.max_body


PING_SECONDS = 30.0  # how often a WebSocket is pinged
CLOSE_SECONDS: Annotated[
    float,
    Limit("WebSocket", "Time to answer a close frame.", "The connection is dropped.", "seconds"),
] = 1.0

# All connections

SLICE_SECONDS: Annotated[
    float,
    Limit(
        "Connections",
        "Work for a connection at a time: parsing, calls, notifications.",
        "The connection waits for its next slice and is not read meanwhile. A single call is not"
        " interrupted; calls that may take longer are answered after those of others that may not.",
        "seconds",
    ),
] = 0.001

UNCOUNTED_SECONDS = 0.00025  # a shorter slice is not counted: that would cost a tenth of it
SLOW_PAUSE = 3  # times as long as a slow slice others are served, if they wait
ROUNDS_TO_READ = 3  # of the event loop, from accepting a connection to its first request
MAX_UNREAD_BYTES = 65_536  # input that waits to be parsed before the connection is not read
MAX_SCANNED_MARKS = 1_000  # brackets, quotes and line ends of IPC passed in a step

MAX_HELD_BYTES: Annotated[
    int,
    Limit(
        "Connections",
        "Input, unfinished batches and unsent answers of all connections.",
        "The connection that holds most is dropped.",
        "bytes",
    ),
] = 96 * 2**20

LARGE_WRITE_BYTES = 65_536  # answers from here on may wait for a client that does not read

MAX_UNSENT_NOTIFICATIONS: Annotated[
    int,
    Limit(
        "Connections",
        "Notifications that wait for a client that does not read.",
        "The connection closes: 1008 over WebSocket.",
    ),
] = 20_000

CALL_END_SECONDS = 1.0  # for the end of a Quart call whose connection is closed

GRACE_SECONDS: Annotated[
    float,
    Limit(
        "Connections",
        "Time for requests under way to finish when the server stops.",
        "The connection is dropped.",
        "seconds",
    ),
] = 0.5

INTERRUPT_SECONDS = 1.5  # after how long a call that keeps the server from stopping is interrupted
