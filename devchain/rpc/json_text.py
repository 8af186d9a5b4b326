"""JSON text: a client's taken apart with strictness, ours put together."""

from __future__ import annotations

import json
from typing import Any

import orjson

from devchain.rpc.errors import ParseFailed

LONGEST_REASON = 200


def parse(body: bytes) -> object:
    """The JSON value of a body; raises `ParseFailed`.

    orjson comes first, for a tenth of the time, since it is strict about nesting, text encoding
    and numbers; the standard parser then sees a body that cannot harm it, keeps integers whole
    and tells of duplicate keys.
    """
    try:
        orjson.loads(body)
        return _WHOLE.decode(body.decode())
    except (ValueError, RecursionError) as error:
        msg = f"the body is not valid JSON: {str(error)[:LONGEST_REASON]}"
        raise ParseFailed(msg) from error


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
