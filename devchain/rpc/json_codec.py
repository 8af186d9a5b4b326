"""JSON text to Python values and back: strict parsing of requests, encoding of results."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain, islice
from typing import Any, NamedTuple, cast

import orjson

from devchain.chain.slices import QUICK, Slices, finish
from devchain.errors import AnswerTooLarge, ParseFailed
from devchain.evm import deadline

MAX_REASON_LENGTH = 200
JSON_WHITESPACE = b" \t\r\n"
MAX_INT_LENGTH = 1_000  # digits of an integer in a request: converting longer ones is slow


def parse_json(body: bytes) -> object:
    # orjson is strict about nesting, text encoding and number syntax, but rounds integers of more
    # than 64 bits and keeps the last of duplicate keys: what does not serialize to the body again
    # is read by the slower parser of the standard library, limited in depth by orjson.
    try:
        value = orjson.loads(body)
        return value if _serializes_to(value, body) else _STRICT_DECODER.decode(body.decode())
    except (ValueError, RecursionError) as error:
        reason = str(error)[:MAX_REASON_LENGTH]
        raise ParseFailed(f"the body is not valid JSON: {reason}") from error


def _serializes_to(value: object, body: bytes) -> bool:
    try:
        text = orjson.dumps(value)
    except orjson.JSONEncodeError:  # nested deeper than orjson serializes
        return False
    if text == body:
        return True
    if b" " in text:  # in a string: orjson escapes other white space there, and writes none around
        text = text.translate(None, b" ")
    return text == body.translate(None, JSON_WHITESPACE)


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has the same key twice")
    return members


def _parse_int(literal: str) -> int:
    if len(literal) > MAX_INT_LENGTH:
        raise ValueError(f"an integer has more than {MAX_INT_LENGTH} digits")
    return int(literal)


# Created once: creating a decoder takes longer than parsing a request.
_STRICT_DECODER = json.JSONDecoder(object_pairs_hook=_refuse_duplicate_keys, parse_int=_parse_int)


def dump_json(value: object) -> bytes:
    """Serialize to JSON; call traces may nest deeper than the 254 levels orjson supports."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return b"".join(_pieces(value))


def _pieces(value: object) -> Iterator[bytes]:
    # The standard library's serializer ends at 1,500 levels, a trace of 750 nested calls. `pending`
    # has what is still to be written, the next one last.
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            yield b"{"
            pending.append(_END_OF_OBJECT)
            for name, member in reversed(part.items()):
                pending += (member, orjson.Fragment(orjson.dumps(name) + b":"), _COMMA)
            if part:
                pending.pop()  # the comma before the first member
        elif isinstance(part, (list, tuple)):
            yield b"["
            pending.append(_END_OF_LIST)
            for item in reversed(part):
                pending += (item, _COMMA)
            if part:
                pending.pop()
        elif type(part) is int:
            yield b"%d" % part  # orjson refuses more than 64 bits
        else:
            yield orjson.dumps(part)


_COMMA, _END_OF_LIST, _END_OF_OBJECT = map(orjson.Fragment, (",", "]", "}"))


def load_json(text: bytes) -> Any:
    """The value of a response, with exact integers; raises `ValueError`.

    orjson rounds those of more than 64 bits, after which the value does not serialize to the text.
    """
    value = orjson.loads(text)
    if _serializes_to(value, text):
        return value
    try:
        return json.loads(text)
    except RecursionError as error:  # at fewer levels than orjson's
        raise ValueError("nested too deeply") from error


class Number(int):
    """An integer that is encoded as a JSON number instead of a QUANTITY."""


class Encoded(dict[str, Any]):
    """An object whose values have been encoded before: one that is returned again and again."""


class Converted(Collection[Any]):
    """The results of a function of many items, made when they are read.

    A method that works in slices returns one whose JSON may be of any size: it is encoded while it
    is sent (`begin_list`).
    """

    def __init__(self, convert: Callable[[Any], Any], items: Collection[Any]) -> None:
        self._convert = convert
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return map(self._convert, self._items)

    def __contains__(self, result: object) -> bool:
        return any(result == other for other in self)


LISTS = (list, tuple, Converted)  # results that may be long; created once, unlike `A | B`
PIECE = 32  # a list with more items is serialized in pieces
PIECE_BYTES = 32_768  # the JSON of a piece is no longer than this and one item: some 1 ms of work
REFERENCE_BYTES = 8  # the memory that a list takes for each item, besides the item


PLAIN = (str, bool, float)  # the types of results that JSON has, too


def encode(value: object, limit: int | None = None) -> Any:  # noqa: PLR0911  # by type
    """The JSON value of a method's result: int as minimal hex, bytes as hex, containers deeply.

    With a limit, in bytes, long lists are serialized piece by piece: their objects are not all in
    memory at once. Raises `AnswerTooLarge` where a list exceeds it, `ExecutionTimedOut` meanwhile.
    """
    if type(value) is int:  # the most frequent result: decided by one comparison
        return hex(value)
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if value is None or isinstance(value, PLAIN):
        return value
    if isinstance(value, int):
        return int(value) if isinstance(value, Number) else hex(value)
    if isinstance(value, dict):
        return value if isinstance(value, Encoded) else _encode_members(value, limit)
    items = cast("Iterable[object]", value)
    if limit is not None and isinstance(items, LISTS) and len(items) > PIECE:
        return finish(encode_long(items, limit))
    return [encode(item, limit) for item in items]


def _encode_members(members: dict[Any, object], limit: int | None) -> dict[Any, Any]:
    return {
        key: hex(member)
        if type(member) is int
        else "0x" + member.hex()
        if type(member) is bytes
        else encode(member, limit)
        for key, member in members.items()
    }


def encode_long(
    items: Collection[object], limit: int, keep: Callable[[int], object] = int
) -> Slices[orjson.Fragment]:
    """As `encode` a long list, in slices; `keep` gets the size of each piece that is kept."""
    pieces, size = [], 0
    for piece in list_pieces(dump_json(encode(item, limit)) for item in items):
        deadline.check()
        size += len(piece)
        if size > limit:
            raise AnswerTooLarge
        pieces.append(piece)
        keep(len(piece))
        yield QUICK
    return orjson.Fragment(b"".join(pieces))


class StreamedJson(NamedTuple):
    """JSON that is made while it is sent; `size` is the memory it takes until then."""

    pieces: Iterator[bytes]
    size: int


def begin_list(items: Converted, limit: int) -> orjson.Fragment | StreamedJson:
    """The JSON of a list of one piece; of a longer one two pieces are made, and the rest later.

    One piece that might exceed the limit, with what is around it, is sent as longer ones are.
    """
    pieces = list_pieces(dump_json(encode(item)) for item in items)
    begun = [*islice(pieces, 2)]
    if len(begun) == 1 and 2 * len(begun[0]) < limit:
        return orjson.Fragment(begun[0])
    return StreamedJson(chain(begun, pieces), sum(map(len, begun)) + REFERENCE_BYTES * len(items))


def list_pieces(texts: Iterable[bytes | StreamedJson]) -> Iterator[bytes]:
    """The JSON of a list of items with those texts, in pieces of some `PIECE_BYTES`."""
    piece, separator = bytearray(), b"["
    for text in texts:
        piece += separator
        separator = b","
        for part in (text,) if isinstance(text, bytes) else text.pieces:
            if len(piece) >= PIECE_BYTES:
                yield bytes(piece)
                piece.clear()
            piece += part
    yield bytes(piece) + (b"]" if separator == b"," else b"[]")
