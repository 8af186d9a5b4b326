"""The limits of connections: bytes, seconds and counts. `Config` has those that users set."""

# Requests over HTTP

MAX_HEAD_BYTES = 16_384
"""How long the request line and the headers may be."""

MAX_KNOWN_HEADS = 16
"""How many heads of plain requests a connection remembers, so as not to parse them again."""

MAX_DIRECT_BODY_BYTES = 1_048_576
"""The longest body that is answered without the Quart application."""

DIRECT_BODY_SECONDS = 0.5
"""How long the body of a plain request may take before the Quart application waits for it."""

BODY_SECONDS = 30.0
"""How long a client may take to send a body."""

LINGER_SECONDS = 2.0
"""How long the rest of a body that is too large is read, so that its sender sees the answer."""

IDLE_SECONDS = 60.0
"""After how long without data an HTTP connection is closed."""

# WebSocket

PING_SECONDS = 30.0
"""How often a WebSocket is pinged."""

MAX_UNANSWERED_PINGS = 10
"""How many pings may pass without data from the client before the connection is dropped."""

CLOSE_SECONDS = 1.0
"""How long a client may take to read a close frame and answer it."""

# All connections

MAX_WAITING_BYTES = 2 * MAX_DIRECT_BODY_BYTES
"""How much may wait to be answered on one connection before no more is read from it."""

WAITING_OVERHEAD_BYTES = 200
"""What a waiting request counts besides its body, so that many small ones are limited, too."""

MAX_UNSENT_NOTIFICATIONS = 20_000
"""How many notifications may wait for a client that does not read, before it is dropped."""

TURN_SECONDS = 0.02
"""How long a batch runs before other connections are served."""

YIELD_SECONDS = 0.002
"""How long a batch then waits: answering a connection takes several rounds of the event loop."""

GRACE_SECONDS = 0.5
"""How long a request under way may take to finish when the server stops."""

INTERRUPT_SECONDS = 1.5
"""After how long a call that keeps the server from stopping is interrupted."""
