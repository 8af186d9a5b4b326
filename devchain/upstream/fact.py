"""A fact: a JSON-RPC call whose answer cannot change, and the block that all facts lead up to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

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
"""Which parameter of a method names a block."""

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
"""What a method returns, in words, with places for its parameters."""


class ForkBlock(NamedTuple):
    """The last block that a fork shares with the chain upstream."""

    chain_id: int
    number: int
    hash: bytes


class Fact(NamedTuple):
    """A call of the upstream that names a block at or before the fork block, by number or hash.

    `params` are canonical JSON: no spaces, sorted keys, hex in lower case. Made by `fact`.
    """

    method: str
    params: str

    @property
    def values(self) -> list[Any]:
        """The parameters."""
        parsed: list[Any] = json.loads(self.params)
        return parsed

    @property
    def block_number(self) -> int | None:
        """The number of the block that it names; None if it names none by number."""
        place = BLOCK_PARAMETER.get(self.method)
        values = self.values
        try:
            return None if place is None else int(values[place], 16)
        except (IndexError, TypeError, ValueError):
            return None

    def in_words(self) -> str:
        """What it is about: `storage slot 0x3 of 0xab… at block 7`."""
        template = WORDS.get(self.method)
        values = [each if isinstance(each, str) else json.dumps(each) for each in self.values]
        try:
            words = f"{self.method}{self.params}" if template is None else template.format(*values)
        except IndexError:
            return f"{self.method}{self.params}"
        number = self.block_number
        if self.method == "eth_getBlockByNumber":
            return f"block {values[0] if number is None else number}"
        return words if template is None or number is None else f"{words} at block {number}"


def fact(method: str, *params: object) -> Fact:
    """The fact of a call with these parameters, in canonical form.

    >>> fact("eth_getStorageAt", "0xABcd", "0x0", "0x7b")
    Fact(method='eth_getStorageAt', params='["0xabcd","0x0","0x7b"]')
    """
    text = orjson.dumps(params, option=orjson.OPT_SORT_KEYS).decode()
    return Fact(method, text if text.islower() else canonical(_lower(params)))


def canonical(value: object) -> str:
    """A value as JSON text that is the same however its objects are ordered.

    Raises `TypeError` for what is nested too deeply or not JSON.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _lower(value: object) -> object:
    match value:
        case str():
            return value.lower() if value[:2] in {"0x", "0X"} else value
        case dict():
            return {key: _lower(each) for key, each in value.items()}
        case list() | tuple():
            return [_lower(each) for each in value]
        case _:
            return value


def body_of(facts: Sequence[Fact]) -> bytes:
    """The body of a request for these facts, with their places as ids; a lone one is no batch."""
    requests = [
        f'{{"jsonrpc":"2.0","id":{place},"method":{json.dumps(each.method)},"params":{each.params}}}'
        for place, each in enumerate(facts)
    ]
    return (requests[0] if len(facts) == 1 else f"[{','.join(requests)}]").encode()
