"""What is refused below JSON-RPC: the HTTP status, and the sentence that says what to change."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from devchain.config import Config
from devchain.node.peers import Peers
from devchain.rpc.dispatch import error_body
from devchain.rpc.errors import INTERNAL_ERROR
from devchain.server import access

HEALTH = "health"
JSON = "application/json"
LONGEST_QUOTE = 100

NO_KEY = "an API key is required; POST to /<API_KEY>"
WRONG_KEY = "unknown API key; check the last part of the URL"
NO_WEBSOCKET = "this is no WebSocket request as RFC 6455 has it; use a client library"


log = logging.getLogger(__name__)


class Refused(Exception):
    """A request is refused below JSON-RPC, with an HTTP status and a sentence."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        """Keep what the answer is made of."""
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})


def check_host(host: str, config: Config) -> None:
    """Refuse a `Host` that does not name this machine; empty is none."""
    if not access.host_accepted(host, config.host, config.allow_host):
        name = access.host_name(host) or "NAME"
        raise Refused(403, f"host {quoted(host)} is not allowed; start with --allow-host {name}")


def check_origin(origins: Iterable[str], config: Config) -> None:
    """Refuse an `Origin` whose pages may not call."""
    for origin in origins:
        if not access.origin_accepted(origin, config.allow_origin):
            text = f"pages of {quoted(origin)} may not call; start with --allow-origin ORIGIN"
            raise Refused(403, text)


def check_content_type(kind: str) -> None:
    """Refuse a body that is not said to be JSON; empty says nothing."""
    if not access.content_type_accepted(kind):
        hint = f"send {JSON} (curl: -H 'content-type: {JSON}')"
        raise Refused(415, f"content type {quoted(kind)} is not JSON; {hint}")


def check_peer(peers: Peers, peer: str | None) -> None:
    """Refuse a client whose address is banned."""
    if peers.refuses(peer):
        raise Refused(403, f"address {peer} is banned; lift it by sco_unbanAddress from another")


def peer_of(scope: Mapping[str, Any]) -> str | None:
    """The address of a connection's other end, as its socket has it: no header is believed."""
    client = scope.get("client")
    return client[0] or None if client else None


def wrong_verb(verb: str, path: str) -> Refused:
    """The refusal of a verb that a path does not answer."""
    allowed = ("GET", "HEAD") if path.strip("/") == HEALTH else ("POST", "OPTIONS")
    text = f"{quoted(verb)} is not answered here; send {allowed[0]}"
    return Refused(405, text, {"Allow": ", ".join(allowed)})


def not_found(networks: Iterable[str]) -> Refused:
    """The refusal of a path that names nothing."""
    names = "".join(f", /{name}" for name in networks)
    return Refused(404, f"nothing is served at this path; POST to /, /<API_KEY>{names}")


def too_large(limit: int) -> Refused:
    """The refusal of a body over the limit."""
    text = f"the body is larger than {limit} bytes; send less at once or start with --max-body"
    return Refused(413, text, {"Connection": "close"})


def too_slow(seconds: float) -> Refused:
    """The refusal of a body that takes for ever."""
    text = f"the request's body did not arrive within {seconds:g} seconds; send it at once"
    return Refused(408, text, {"Connection": "close"})


def incident_body(error: Exception) -> bytes:
    """What a client learns of a bug: a number to look up in the log."""
    number = secrets.token_hex(4)
    log.error("incident %s", number, exc_info=error)
    return error_body(INTERNAL_ERROR, f"internal error, incident {number}: see devchain's log")


def quoted(text: str) -> str:
    """Text of a client, in quotes, escaped and bounded."""
    return ascii(text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "...")
