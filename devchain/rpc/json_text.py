"""JSON text: a client's taken apart with strictness, ours put together."""

from __future__ import annotations

import json
from typing import Any

import orjson

from devchain.rpc.errors import ParseFailed

LONGEST_REASON = 200
SPACE = b" \t\r\n"


def parse(body: bytes) -> object:
    """The JSON value of a body; raises `ParseFailed`.

    orjson is strict about nesting, text encoding and numbers, but rounds large integers and lets
    the last of equal keys win. What it has read is right if it says the same, to the letter, when
    it is written again; else the standard parser sees a body that can no longer harm it.
    """
    try:
        value = orjson.loads(body)
        return value if _says(value, body) else _WHOLE.decode(body.decode())
    except (ValueError, RecursionError) as error:
        msg = f"the body is not valid JSON: {str(error)[:LONGEST_REASON]}"
        raise ParseFailed(msg) from error


def _says(value: object, body: bytes) -> bool:
    """Whether that value, written, is that body but for white space."""
    try:
        return orjson.dumps(value).translate(None, SPACE) == body.translate(None, SPACE)
    except orjson.JSONEncodeError:  # it nests deeper than the writer goes
        return False


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        msg = "an object has the same key twice"
        raise ValueError(msg)
    return made


_WHOLE = json.JSONDecoder(object_pairs_hook=_unique)  # to make one costs more than a parse


def dumps(value: object) -> bytes:
    """JSON; a tree of calls may nest deeper than the 254 levels orjson goes."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()
