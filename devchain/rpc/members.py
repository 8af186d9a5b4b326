"""Reading the members of JSON objects that methods take."""

from __future__ import annotations

from typing import Any

from devchain.node import Node
from devchain.rpc.errors import InvalidParams
from devchain.rpc.values import Decoder, shown


def fields(value: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """The members that are given; one nobody knows is refused."""
    unknown = sorted(set(value) - known)
    if unknown:
        msg = f"unknown member {shown(unknown[0])}: known are {', '.join(sorted(known))}"
        raise InvalidParams(msg)
    return {key: each for key, each in value.items() if each is not None}


def member(
    decode: Decoder, given: dict[str, Any], name: str, node: Node, fallback: str | None = None
) -> Any:
    """A decoded member, None if it is absent or null."""
    if given.get(name) is None and fallback is not None:
        name = fallback
    value = given.get(name)
    return None if value is None else member_of(name, decode, value, node)


def member_of(name: str, decode: Decoder, value: object, node: Node) -> Any:
    """A decoded value; what is wrong with it is told under its member's name."""
    try:
        return decode(value, node)
    except InvalidParams as error:
        msg = f"{name}: {error}"
        raise InvalidParams(msg) from error
