"""ABI decoding of values of any type, in time and memory that the size of the data bounds.

Elements of dynamic types are pointers, and several may point at one place:

    bytes[]        1,000 elements, all of them the same 32,000 bytes       data 64 KB, values 32 MB
    uint256[][]    900 elements, all of them the same array of 900 words   data 58 KB, values 26 MB

Values may be `EXPANSION` times as large as the data. What is larger is not decoded, and `Undecoded`
stands for it. Otherwise this decodes what eth-abi decodes, which has no such limit: pointers lead
behind the heads, and padding is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from devchain.contracts.abi_values import Named, Undecoded, Values
from devchain.contracts.abi_words import TYPES, Typed
from devchain.contracts.value_types import Kind, ValueType, scaled
from devchain.types import WORD_SIZE


class Param(Named, Typed, Hashable, Protocol):
    """A parameter, or a part of one."""

    @property
    def components(self) -> tuple[Param, ...]:
        """The members of a struct."""

    @property
    def element(self) -> Param:
        """What an array has."""

    @property
    def value_type(self) -> ValueType:
        """The type, parsed."""


EXPANSION = 4
MIN_LIMIT = 65_536
"""Bytes of values that any data may have."""

MAX_CACHED = 1_024
FUNCTION_KIND = "bytes24"


class _TooLargeError(Exception):
    """The values are larger than the data allows."""


class _Data:
    """Encoded values, and how many bytes of them may still be read."""

    __slots__ = ("content", "left")

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.left = max(EXPANSION * len(content), MIN_LIMIT)

    def read(self, start: int, size: int) -> None:
        """Count that bytes are read; raises `ValueError` if the data ends before their end."""
        if start + size > len(self.content):
            raise ValueError("the data is too short")
        self.left -= size
        if self.left < 0:
            raise _TooLargeError

    def number(self, start: int) -> int:
        return int.from_bytes(self.content[start : start + WORD_SIZE])


@dataclass(frozen=True, slots=True)
class _Decoder:
    """Decodes values of a type: `head` is how many bytes one has in the head.

    `value` decodes what begins at an offset; who calls it has counted the head of a static type.
    `word` is the decoder of the word if a value is one.
    """

    head: int
    value: Callable[[_Data, int], Any]
    word: Callable[[bytes], Any] | None = None
    is_dynamic: bool = True

    def element(self, data: _Data, place: int, start: int, end: int) -> Any:
        """The value whose head is at `place`, in heads from `start` to `end`."""
        if not self.is_dynamic:
            return self.value(data, place)
        target = start + data.number(place)
        if not end <= target < len(data.content):
            raise ValueError("a pointer that leads into the heads or out of the data")
        return self.value(data, target)


def decode(params: Sequence[Param], body: bytes) -> tuple[Any, ...]:
    """Decode values, addresses as `AddressBytes`; raises `ValueError` for what is none of them."""
    data = _Data(bytes(body))
    decoders = [_decoder(param) for param in params]
    place, end = 0, sum(decoder.head for decoder in decoders)
    if end > len(body):
        raise ValueError("the data is too short")
    values = []
    undecoded = None
    for decoder in decoders:
        try:
            values.append(decoder.element(data, place, 0, end))
        except _TooLargeError:
            undecoded = undecoded or Undecoded(body)
            values.append(undecoded)
        place += decoder.head
    return tuple(values)


@lru_cache(MAX_CACHED)
def _decoder(param: Param) -> _Decoder:
    if param.kind.endswith("]"):
        size = param.kind[param.kind.rindex("[") + 1 : -1]
        return _array_decoder(_decoder(param.element), int(size) if size else None)
    if param.components:
        return _tuple_decoder(param.components)
    if param.kind in {"bytes", "string"}:
        return _Decoder(WORD_SIZE, _decode_bytes if param.kind == "bytes" else _decode_string)
    word = _word_decoder(param)

    def value(data: _Data, start: int) -> Any:
        found = word(data.content[start : start + WORD_SIZE])
        if found is None:
            raise ValueError("a word that is no value of the type")
        return found

    return _Decoder(WORD_SIZE, value, word, is_dynamic=False)


def _word_decoder(param: Param) -> Callable[[bytes], Any]:
    if param.kind in TYPES:
        return TYPES[param.kind][1]
    kind = param.value_type
    if kind.kind is Kind.FUNCTION:
        return TYPES[FUNCTION_KIND][1]
    integer = TYPES[f"{'' if kind.is_signed else 'u'}int{kind.size}"][1]
    if not kind.places:
        return integer

    def decimal(word: bytes) -> Any:
        number = integer(word)
        return None if number is None else scaled(number, kind.places)

    return decimal


def _array_decoder(item: _Decoder, size: int | None) -> _Decoder:
    is_dynamic = size is None or item.is_dynamic

    def value(data: _Data, start: int) -> list[Any]:
        count = size
        if count is None:
            data.read(start, WORD_SIZE)
            count, start = data.number(start), start + WORD_SIZE
        length = count * item.head
        if is_dynamic:
            data.read(start, length)
        end = start + length
        if item.word is None:
            places = range(start, end, item.head)
            return [item.element(data, place, start, end) for place in places]
        content, word = data.content, item.word
        values = [word(content[at : at + WORD_SIZE]) for at in range(start, end, WORD_SIZE)]
        if any(value is None for value in values):
            raise ValueError("a word that is no value of the type")
        return values

    head = WORD_SIZE if is_dynamic else (size or 0) * item.head
    return _Decoder(head, value, is_dynamic=is_dynamic)


def _tuple_decoder(params: Sequence[Param]) -> _Decoder:
    decoders = [_decoder(param) for param in params]
    length = sum(decoder.head for decoder in decoders)
    is_dynamic = any(decoder.is_dynamic for decoder in decoders)

    def value(data: _Data, start: int) -> Values:
        if is_dynamic:
            data.read(start, length)
        values, place = [], start
        for decoder in decoders:
            values.append(decoder.element(data, place, start, start + length))
            place += decoder.head
        return Values(values, params)

    return _Decoder(WORD_SIZE if is_dynamic else length, value, is_dynamic=is_dynamic)


def _decode_bytes(data: _Data, start: int) -> bytes:
    data.read(start, WORD_SIZE)
    size, start = data.number(start), start + WORD_SIZE
    data.read(start, size + -size % WORD_SIZE)
    end = start + size
    if any(data.content[end : end + -size % WORD_SIZE]):
        raise ValueError("padding that is not zero")
    return data.content[start:end]


def _decode_string(data: _Data, start: int) -> str:
    return _decode_bytes(data, start).decode()
