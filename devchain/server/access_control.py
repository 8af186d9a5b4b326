"""Access rules of HTTP and WebSocket: API keys, `Host`, `Origin`, content types, banned addresses.

A request that breaks them raises `Refused`, with an HTTP status and a message that says what to
change. A client's address is that of its socket: headers such as `X-Forwarded-For` are ignored.
"""

from __future__ import annotations

import hmac
import logging
import re
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

from devchain.config import ORIGIN, Config
from devchain.errors import InvalidRequest
from devchain.networks import NETWORKS
from devchain.node.peers import Peers
from devchain.rpc.dispatch import error_body
from devchain.rpc.errors import CODES, INTERNAL_ERROR

HEALTH = "health"
EXPLORER = "explorer"
JSON = "application/json"
MAX_QUOTED = 100
MAX_REMEMBERED = 64  # values of a header whose check is remembered
_ANY = "*"
_HOST = re.compile(
    r"(\[[0-9a-f:.]+\]|(?=.{1,253}(?::|\Z))[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?)(?::\d*)?"
)
_ORIGIN = re.compile(r"https?://(?P<host>[^/]+)")
_JSON_TYPE = re.compile(r"application/(?:json|json-rpc|[\w.!#$&^-]+\+json)")

log = logging.getLogger(__name__)


class Refused(Exception):
    """A request is refused before it reaches JSON-RPC, with an HTTP status and a message."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})

    @property
    def body(self) -> bytes:
        return error_body(CODES[InvalidRequest], self.message)


class Malformed(Refused):
    """The bytes of a client cannot be read as HTTP; the connection closes."""

    MESSAGES: Mapping[int, str] = {
        400: "this is not HTTP/1.1: check the request line, the headers and Content-Length",
        431: "the headers of the request are too large; send fewer or shorter ones",
    }

    def __init__(self, status: int = 400) -> None:
        super().__init__(status, self.MESSAGES[status], {"Connection": "close"})


# Paths and API keys


def resolve(path: str, networks: Collection[str]) -> tuple[str, str | None] | None:
    """The network and key in `/`, `/<key>`, `/<network>` or `/<network>/<key>`; else None.

    The first network is the default. The name of another network is no key, and where several are
    served nothing that is nearly a network's name.
    """
    default = next(iter(networks))
    match path.strip("/").split("/"):
        case [""]:
            return default, None
        case [name] if name in networks:
            return name, None
        case [key] if key not in NETWORKS and not (len(networks) > 1 and _is_near_network(key)):
            return default, key
        case [name, key] if name in networks and key:
            return name, key
    return None


@lru_cache(maxsize=MAX_REMEMBERED)
def _is_near_network(key: str) -> bool:
    return bool(get_close_matches(key.lower(), NETWORKS, n=1))


def is_explorer(path: str) -> bool:
    """Whether a path is of the explorer: `/explorer/..`, after a network, a key or both."""
    return EXPLORER in path.strip("/").split("/")[:3]


def check_key(key: str | None, config: Config) -> None:
    """Refuse a request without one of the configured API keys, compared in constant time."""
    received = (key or "").encode(errors="replace")
    matches = [hmac.compare_digest(received, known.encode()) for known in config.api_keys]
    if matches and not any(matches):
        wrong = "unknown API key; check the last part of the URL"
        raise Refused(401, wrong if key else "an API key is required; POST to /<API_KEY>")


# Hosts and origins


def check_host(host: str, config: Config) -> None:
    """Refuse a `Host` that does not name this machine; an empty one is absent."""
    if not host_accepted(host, config.host, tuple(config.allow_host)):
        name = host_name(host) or "NAME"
        raise Refused(403, f"host {quoted(host)} is not allowed; start with --allow-host {name}")


def check_origin(origins: Iterable[str], config: Config) -> None:
    """Refuse pages of a foreign `Origin`; titanoboa, no browser, sends its name as one."""
    for origin in origins:
        is_page = "://" in origin or "null" in re.split(r"[\s,]+", origin.lower())
        if is_page and not origin_accepted(origin, config.allow_origin):
            option = origin if len(origin) <= MAX_QUOTED and ORIGIN.fullmatch(origin) else "'*'"
            raise Refused(
                403, f"pages of {quoted(origin)} may not call; start with --allow-origin {option}"
            )


def cors_headers(origin: str | None, config: Config) -> dict[str, str]:
    """Headers that let pages of an accepted origin read an answer; never with credentials."""
    headers = {"Vary": "Origin"}
    if origin and origin_accepted(origin, config.allow_origin):
        headers["Access-Control-Allow-Origin"] = origin
    return headers


@lru_cache(maxsize=MAX_REMEMBERED)
def host_accepted(header: str, listen: str, allowed: tuple[str, ...]) -> bool:
    """Whether a `Host` header, if there is one, names this machine: else DNS is rebound."""
    if not header or _ANY in allowed:
        return True
    name = host_name(header)
    if name is None:
        return False
    names = {host_name(host) or host.strip("[]").lower() for host in (*allowed, listen)}
    bound = _address(listen)
    is_bound = bound is not None and bound.is_unspecified and _address(name) is not None
    return name in names or is_bound or _is_loopback(name)


def origin_accepted(origin: str, allowed: Collection[str]) -> bool:
    """Whether pages of an origin may call: loopback ones, and those in the list."""
    origin = origin.strip().lower()
    if _ANY in allowed or origin in {known.rstrip("/").lower() for known in allowed}:
        return True
    match = _ORIGIN.fullmatch(origin)
    name = match and host_name(match["host"])
    return bool(name) and _is_loopback(str(name))


def host_name(header: str) -> str | None:
    """The name in a `Host` header without port, brackets and case; None if it is not one."""
    match = _HOST.fullmatch(header.strip().lower())
    return match[1].strip("[]").removesuffix(".") if match else None


def _is_loopback(name: str) -> bool:
    address = _address(name)
    is_address = address is not None and address.is_loopback
    return is_address or name == "localhost" or name.endswith(".localhost")


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text.strip("[]"))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


# Content types


@lru_cache(maxsize=MAX_REMEMBERED)
def check_content_type(header: str) -> None:
    kind = header.partition(";")[0].strip().lower()
    if kind and kind != "text/plain" and not _JSON_TYPE.fullmatch(kind):
        hint = f"send {JSON} (curl: -H 'content-type: {JSON}')"
        raise Refused(415, f"content type {quoted(header)} is not JSON; {hint}")


# Clients


def check_peer(peers: Peers, peer: str | None) -> None:
    if peers.refuses(peer):
        raise Refused(403, f"address {peer} is banned; call sco_unbanAddress from another address")


def peer_of(address: Sequence[Any] | str | None) -> str | None:
    """The IP address in (host, port) of a socket or an ASGI scope; None over a unix socket."""
    return address[0] or None if address else None


# Other refusals


def wrong_method(method: str, path: str, *, has_explorer: bool = False) -> Refused:
    """The refusal of an HTTP method; without the path, in which a key may be: it is logged."""
    allowed = ("GET", "HEAD") if path.strip("/") == HEALTH else ("POST", "OPTIONS")
    text = f"{quoted(method)} is not answered here; send {allowed[0]}"
    if has_explorer and method in {"GET", "HEAD"}:
        below = " below this path" if path.strip("/") else ""
        text += f", or open /{EXPLORER}{below} in a browser"
    return Refused(405, text, {"Allow": ", ".join(allowed)})


def not_found(networks: Iterable[str]) -> Refused:
    names = "".join(f", /{name}" for name in networks)
    return Refused(404, f"nothing is served at this path; POST to /, /<API_KEY>{names}")


def too_large(limit: int) -> Refused:
    text = f"the body is larger than {limit} bytes; send less at once or start with --max-body"
    return Refused(413, text, {"Connection": "close"})


def too_slow(seconds: float) -> Refused:
    text = f"the request's body did not arrive within {seconds:g} seconds; send it at once"
    return Refused(408, text, {"Connection": "close"})


def incident_body(error: Exception) -> bytes:
    return error_body(INTERNAL_ERROR, incident(error))


def incident(error: Exception) -> str:
    """The message for a bug: it has the number under which the log has the traceback."""
    number = secrets.token_hex(4)
    log.error("incident %s", number, exc_info=error)
    return f"internal error, incident {number}: see devchain's log"


def quoted(text: str) -> str:
    return ascii(text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "...")
