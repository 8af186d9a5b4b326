"""Who may call, and which network a path names: pure functions over headers and paths."""

from __future__ import annotations

import hmac
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

ANY = "*"
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d*)?")
_ORIGIN = re.compile(r"https?://(?P<host>[^/]+)")
_JSON_TYPE = re.compile(r"application/(?:json|json-rpc|[\w.!#$&^-]+\+json)")


@dataclass(frozen=True, slots=True)
class Target:
    """What a path names: a network, and the API key given, if any."""

    network: str
    key: str | None


def resolve(path: str, networks: Collection[str]) -> Target | None:
    """The network and key in `/`, `/<key>`, `/<network>` or `/<network>/<key>`; else None.

    The first network is the default.
    """
    default = next(iter(networks))
    match path.strip("/").split("/"):
        case [""]:
            return Target(default, None)
        case [name] if name in networks:
            return Target(name, None)
        case [key]:
            return Target(default, key)
        case [name, key] if name in networks and key:
            return Target(name, key)
    return None


def key_accepted(key: str | None, keys: Iterable[str]) -> bool:
    """Whether a key is among the configured ones; any will do when there are none.

    The time it takes does not depend on how much of a key was right.
    """
    known = [each.encode() for each in keys]
    given = (key or "").encode(errors="replace")
    matches = [hmac.compare_digest(given, each) for each in known]
    return any(matches) or not known


def host_accepted(header: str, listen: str, allowed: Collection[str]) -> bool:
    """Whether a `Host` header names this machine: what keeps DNS rebinding out.

    An absent header, which only HTTP/1.0 has, is accepted.
    """
    if not header or ANY in allowed:
        return True
    name = host_name(header)
    if name is None:
        return False
    return _is_loopback(name) or _is_listened_on(name, listen) or name in _names(allowed)


def origin_accepted(origin: str, allowed: Collection[str]) -> bool:
    """Whether pages of an origin may call: loopback ones, and those in the list."""
    given = origin.strip().lower()
    if ANY in allowed or given in {each.rstrip("/").lower() for each in allowed}:
        return True
    match = _ORIGIN.fullmatch(given)
    name = match and host_name(match["host"])
    return bool(name) and _is_loopback(str(name))


def content_type_accepted(header: str) -> bool:
    """Whether a `Content-Type` is JSON, `text/plain` or absent."""
    kind = header.partition(";")[0].strip().lower()
    return not kind or kind == "text/plain" or bool(_JSON_TYPE.fullmatch(kind))


def host_name(header: str) -> str | None:
    """The name in a `Host` header without port, brackets and case; None if it is not one."""
    match = _HOST.fullmatch(header.strip().lower())
    return match[1].strip("[]").removesuffix(".") if match else None


def _names(allowed: Collection[str]) -> set[str | None]:
    return {host_name(each) or each.strip("[]").lower() for each in allowed}


def _is_loopback(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    address = _address(name)
    return address is not None and address.is_loopback


def _is_listened_on(name: str, listen: str) -> bool:
    if name == listen.strip("[]").lower():
        return True
    bound = _address(listen)
    return bound is not None and bound.is_unspecified and _address(name) is not None


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text.strip("[]"))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
