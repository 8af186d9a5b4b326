"""What is asked of the upstream node, and how its answers are checked and read.

A query is a JSON-RPC call that names a block at or before the fork block: its answer cannot change,
so that it can be cached.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import orjson

from devchain.errors import UpstreamAnswerInvalid
from devchain.text import printable, shorten

QUANTITY = re.compile("0x[0-9a-fA-F]{1,64}")
SHOWN = 60

WORD_BYTES, DATA_BYTES, OBJECT_BYTES = 2**11, 2**23, 2**24
MAX_BYTES = 2**26
"""The answer to a query of words, of data, of a block or receipt, and of all others together."""
ERROR_BYTES = 2**16  # what an answer may have besides, such as the page of a proxy

BYTES_PER_OBJECT, FEW_OBJECTS = 32, 1_000
"""Answers have fewer objects and lists than one in so many bytes, and some: an empty one in three
bytes would take a minute to parse, and forty times the memory."""
PIECE_BYTES = 2**18  # parsed at a time: a millisecond in which no other thread runs
PIECE_ITEMS = 100
LIST = re.compile(rb'\s*(?:\{[^][{}]*"result"\s*:\s*)?\[')  # of responses, or the result of a call
ENVELOPE_BYTES = 1_000

BLOCK_PARAMETER = {
    "eth_getBalance": 1,
    "eth_getTransactionCount": 1,
    "eth_getCode": 1,
    "eth_getStorageAt": 2,
    "eth_getProof": 2,
    "rsk_getStorageBytesAt": 2,
    "eth_call": 1,
    "eth_getBlockByNumber": 0,
    "eth_getTransactionByBlockNumberAndIndex": 0,
}

WORDS = {
    "eth_getBalance": "the balance of {}",
    "eth_getTransactionCount": "the nonce of {}",
    "eth_getCode": "the code of {}",
    "eth_getStorageAt": "storage slot {1} of {0}",
    "rsk_getStorageBytesAt": "the bytes in storage slot {1} of {0}",
    "eth_call": "the answer to the call {}",
    "eth_getBlockByNumber": "block {}",
    "eth_getBlockByHash": "the block with hash {}",
    "eth_getTransactionByHash": "transaction {}",
    "eth_getTransactionReceipt": "the receipt of transaction {}",
}


class ForkBlock(NamedTuple):
    """The last block that a fork shares with the chain upstream."""

    chain_id: int
    number: int
    hash: bytes


class UpstreamQuery(NamedTuple):
    """A call of the upstream that names a block at or before the fork block, by number or hash.

    `params` are canonical JSON: no spaces, sorted keys, hex in lower case. `upstream_query` makes
    them so.
    """

    method: str
    params: str

    @property
    def values(self) -> list[Any]:
        parsed: list[Any] = json.loads(self.params)
        return parsed

    @property
    def block_number(self) -> int | None:
        place = BLOCK_PARAMETER.get(self.method)
        values = self.values
        try:
            return None if place is None else int(values[place], 16)
        except (IndexError, TypeError, ValueError):
            return None

    def in_words(self) -> str:
        """What it is about: `storage slot 0x3 of 0xab… at block 7`."""
        template = WORDS.get(self.method)
        if template is None:
            return f"{self.method}{self.params}"
        values = [value if isinstance(value, str) else json.dumps(value) for value in self.values]
        number = self.block_number
        if self.method == "eth_getBlockByNumber":
            return f"block {values[0] if number is None else number}"
        words = template.format(*values)
        return words if number is None else f"{words} at block {number}"


def upstream_query(method: str, *params: object) -> UpstreamQuery:
    """The query with these parameters, in canonical form.

    >>> upstream_query("eth_getStorageAt", "0xABcd", "0x0", "0x7b")
    UpstreamQuery(method='eth_getStorageAt', params='["0xabcd","0x0","0x7b"]')
    """
    text = orjson.dumps(params, option=orjson.OPT_SORT_KEYS).decode()
    return UpstreamQuery(method, text if text.islower() else canonical(_lower(params)))


def canonical(value: object) -> str:
    """JSON text that is the same for any order of members; `TypeError` if nested too deeply."""
    if isinstance(value, list) and len(value) > PIECE_ITEMS:  # other threads run in between
        return f"[{','.join(map(canonical, value))}]"
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _lower(value: object) -> object:
    match value:
        case str():
            return value.lower() if value[:2] in {"0x", "0X"} else value
        case dict():
            return {key: _lower(member) for key, member in value.items()}
        case list() | tuple():
            return [_lower(item) for item in value]
        case _:
            return value


def body_of(queries: Sequence[UpstreamQuery]) -> bytes:
    requests = [
        f'{{"jsonrpc":"2.0","id":{index},"method":{json.dumps(query.method)},"params":{query.params}}}'
        for index, query in enumerate(queries)
    ]
    return (requests[0] if len(queries) == 1 else f"[{','.join(requests)}]").encode()


# Answers


def most_bytes(queries: Sequence[UpstreamQuery]) -> int:
    sizes = (ANSWERS.get(query.method, ANY_ANSWER)[1] for query in queries)
    return ERROR_BYTES + min(sum(sizes), MAX_BYTES)


def parse(body: bytes) -> Any:
    """The JSON of an answer, a long list piece by piece; `ValueError` if it is none.

    A piece ends where one of its items may: if it is no JSON, it is within an item. Raises
    `UpstreamAnswerInvalid` for more objects than an answer can have.
    """
    match = LIST.match(body, 0, ENVELOPE_BYTES) if len(body) > PIECE_BYTES else None
    if match is None:
        return _loads(body)
    start = position = match.end()
    size = PIECE_BYTES
    items: list[Any] = []
    while (end := body.find(b"},{", position + size) + 1) > 0:
        try:
            items += _loads(b"[%b]" % body[position:end])
        except orjson.JSONDecodeError:
            size *= 2
        else:
            position, size = end + 1, PIECE_BYTES
    reply = _loads(body[:start] + body[position:])
    last = reply.get("result") if isinstance(reply, dict) else reply
    if not isinstance(last, list):
        raise ValueError("the list is no member of the answer")  # noqa: TRY004  # as other JSON
    last[:0] = items
    return reply


def _loads(text: bytes) -> Any:
    objects = text.count(b"{") + text.count(b"[")
    if objects > FEW_OBJECTS + len(text) // BYTES_PER_OBJECT:
        raise UpstreamAnswerInvalid(f"answers {objects:,} objects in {len(text):,} bytes")
    return orjson.loads(text)


def quantity(value: Any, bits: int = 256) -> int:
    if isinstance(value, str) and QUANTITY.fullmatch(value):
        number = int(value, 16)
        if number < 1 << bits:
            return number
    raise invalid(value, f"a quantity of at most {bits} bits")


def data(value: Any, size: int | None = None) -> bytes:
    if isinstance(value, str) and value.startswith("0x"):
        with suppress(ValueError):
            content = bytes.fromhex(value[2:])  # it would skip spaces
            if 2 + 2 * len(content) == len(value) and size in (None, len(content)):
                return content
    raise invalid(value, "data" if size is None else f"{size} bytes of data")


def word(value: Any) -> int:
    """A storage word: 32 bytes, or fewer digits, or null or `0x`, as various nodes write them."""
    if value is None or value == "0x":
        return 0
    return quantity(value)


def invalid(value: Any, wanted: str) -> UpstreamAnswerInvalid:
    try:
        text = canonical(value)
    except TypeError:
        text = type(value).__name__
    shown = shorten(printable(text), SHOWN)
    return UpstreamAnswerInvalid(f"the upstream answers {shown} where {wanted} should be")


def _output(value: Any) -> None:
    if not (isinstance(value, dict) and isinstance(value.get("error"), str)):  # a failed execution
        data(value)


_nonce = partial(quantity, bits=64)
_number = partial(quantity, bits=63)


def _block(value: Any) -> None:
    if value is not None:
        if not isinstance(value, dict):
            raise invalid(value, "a block or null")
        data(value.get("hash"), 32)
        _number(value.get("number"))


def _mined(value: Any) -> None:
    if value is not None:
        if not isinstance(value, dict):
            raise invalid(value, "an object or null")
        if value.get("blockNumber") is not None:
            _number(value["blockNumber"])


def _objects(value: Any) -> None:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise invalid(value, "a list of objects")


def _any_value(_: Any) -> None:
    pass


ANSWERS: dict[str, tuple[Callable[[Any], object], int]] = {
    "eth_blockNumber": (_number, WORD_BYTES),
    "eth_call": (_output, DATA_BYTES),
    "eth_chainId": (_number, WORD_BYTES),
    "eth_getBalance": (quantity, WORD_BYTES),
    "eth_getBlockByHash": (_block, OBJECT_BYTES),
    "eth_getBlockByNumber": (_block, OBJECT_BYTES),
    "eth_getCode": (data, DATA_BYTES),
    "eth_getLogs": (_objects, MAX_BYTES),
    "eth_getProof": (lambda value: _objects([value]), OBJECT_BYTES),
    "eth_getStorageAt": (word, WORD_BYTES),
    "eth_getTransactionByHash": (_mined, OBJECT_BYTES),
    "eth_getTransactionCount": (_nonce, WORD_BYTES),
    "eth_getTransactionReceipt": (_mined, OBJECT_BYTES),
    "rsk_getStorageBytesAt": (lambda value: value == "0x0" or data(value), DATA_BYTES),
    "web3_clientVersion": (_any_value, WORD_BYTES),
}
"""What raises `UpstreamAnswerInvalid` for a wrong answer, and how many bytes one has at most."""
ANY_ANSWER = (_any_value, OBJECT_BYTES)


def check(query: UpstreamQuery, value: Any) -> None:
    """Raise `UpstreamAnswerInvalid` if a value cannot be the answer to a query."""
    test, _ = ANSWERS.get(query.method, ANY_ANSWER)
    try:
        test(value)
        for item in value if isinstance(value, list) else [value]:
            canonical(item)
    except UpstreamAnswerInvalid as error:
        raise UpstreamAnswerInvalid(f"{error} ({query.in_words()})") from None
    except TypeError:
        raise UpstreamAnswerInvalid(
            f"the upstream's answer is nested too deeply ({query.in_words()})"
        ) from None
