"""JSON text to Python values and back: strict parsing of requests, encoding of results."""

from __future__ import annotations

import json
from typing import Any, cast

import orjson

from devchain.rpc.errors import ParseFailed

MAX_REASON_LENGTH = 200
JSON_WHITESPACE = b" \t\r\n"


def parse_json(body: bytes) -> object:
    """Parse a request body; raises `ParseFailed`.

    orjson is strict about nesting, text encoding and number syntax, but it rounds integers of more
    than 64 bits and keeps the last of duplicate keys. Its result is used if it serializes to the
    same text as the body; otherwise the slower parser of the standard library reads the body,
    which orjson has then already limited in depth.
    """
    try:
        value = orjson.loads(body)
        return value if _serializes_to(value, body) else _STRICT_DECODER.decode(body.decode())
    except (ValueError, RecursionError) as error:
        reason = str(error)[:MAX_REASON_LENGTH]
        raise ParseFailed(f"the body is not valid JSON: {reason}") from error


def _serializes_to(value: object, body: bytes) -> bool:
    """Whether the value, serialized, is the body apart from white space."""
    try:
        text = orjson.dumps(value)
    except orjson.JSONEncodeError:  # nested deeper than orjson serializes
        return False
    return text.translate(None, JSON_WHITESPACE) == body.translate(None, JSON_WHITESPACE)


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has the same key twice")
    return members


# Created once: creating a decoder takes longer than parsing a request.
_STRICT_DECODER = json.JSONDecoder(object_pairs_hook=_refuse_duplicate_keys)


def dump_json(value: object) -> bytes:
    """Serialize to JSON; call traces may nest deeper than the 254 levels orjson supports."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


class Number(int):
    """An integer that is encoded as a JSON number instead of a QUANTITY."""


def encode(value: object) -> Any:
    """The JSON value of a method's result: int as minimal hex, bytes as hex, containers deeply."""
    if type(value) is int:  # the most frequent result: decided by one comparison
        return hex(value)
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if value is None or isinstance(value, bool | str | float):
        return value
    if isinstance(value, int):
        return int(value) if isinstance(value, Number) else hex(value)
    if isinstance(value, dict):
        return {key: encode(each) for key, each in value.items()}
    return [encode(each) for each in cast("list[object]", value)]
