"""ABI decoding of values of any type, in time and memory that the size of the data bounds.

Elements of dynamic types are pointers, and several may point at one place:

    bytes[]        1,000 elements, all of them the same 32,000 bytes       data 64 KB, values 32 MB
    uint256[][]    900 elements, all of them the same array of 900 words   data 58 KB, values 26 MB

Values may be `EXPANSION` times as large as the data. What is larger is not decoded, and `Undecoded`
stands for it. Otherwise this decodes what eth-abi decodes, which has no such limit: pointers lead
behind the heads, and padding is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, Self

from devchain.contracts.abi_words import TYPES, Typed
from devchain.contracts.value_types import Kind, ValueType, scaled
from devchain.text import printable
from devchain.types import WORD_SIZE

EXPANSION = 4
MIN_LIMIT = 65_536  # bytes of values that any data may have
MAX_CACHED = 1_024
FUNCTION_KIND = "bytes24"


class _Param(Typed, Hashable, Protocol):
    @property
    def name(self) -> str: ...
    @property
    def components(self) -> tuple[_Param, ...]: ...
    @property
    def element(self) -> _Param: ...
    @property
    def value_type(self) -> ValueType: ...


class Values(tuple[Any, ...]):  # noqa: SLOT001  # no tuple can have slots
    """A struct, or several values that a function returns: a tuple with names.

    `info[0]`, `info["who"]` and `info.who` are the same value. Names that tuples have (`count`,
    `index`), or that are no Python identifiers, work as `info["count"]` only.
    """

    def __new__(cls, values: Iterable[Any], params: Sequence[_Param]) -> Self:
        made = super().__new__(cls, values)
        # Names are looked up when one is used: most values are read by position.
        made.__dict__["_Values__params"] = params
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.__params

    def __getitem__(self, key: Any) -> Any:
        """A value by name or position, or a slice; raises `KeyError` for an unknown name."""
        __tracebackhide__ = True
        if not isinstance(key, str):
            return super().__getitem__(key)
        for position, param in enumerate(self.__params):
            if param.name == key and key:
                return super().__getitem__(position)
        names = ", ".join(self.__names) or "none"
        raise KeyError(f"no value is named {key}; the names are {names}")

    def __getattr__(self, name: str) -> Any:
        """A value by name; raises `AttributeError` for an unknown one."""
        __tracebackhide__ = True
        if name.startswith("__"):  # asked for by copy, pickle and inspection
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: values do not change, like those of any tuple."""
        raise AttributeError(f"{name} cannot be set: values that a contract returned do not change")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.__names})

    def __repr__(self) -> str:
        pairs = zip(self.__params, self, strict=True)
        parts = [f"{param.name}={value!r}" if param.name else repr(value) for param, value in pairs]
        is_single = len(parts) == 1 and "=" not in parts[0]
        return printable(f"({', '.join(parts)}{',' if is_single else ''})")

    @property
    def __names(self) -> list[str]:
        return [param.name for param in self.__params if param.name]

    def _asdict(self) -> dict[str, Any]:
        return by_name(self.__params, self)


class Undecoded(bytes):
    """Encoded values that are too large to decode: it stands for each of them."""

    __slots__ = ()


def are_decoded(values: Iterable[Any]) -> bool:
    return Undecoded not in map(type, values)


def by_name(params: Sequence[_Param], values: Sequence[Any]) -> dict[str, Any]:
    pairs = zip(params, values, strict=True)
    return {each.name or str(index): value for index, (each, value) in enumerate(pairs)}


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


def decode(params: Sequence[_Param], body: bytes) -> tuple[Any, ...]:
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


def head_sizes(params: Sequence[_Param]) -> list[int]:
    return [_decoder(param).head for param in params]


@lru_cache(MAX_CACHED)
def _decoder(param: _Param) -> _Decoder:
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


def _word_decoder(param: _Param) -> Callable[[bytes], Any]:
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


def _tuple_decoder(params: Sequence[_Param]) -> _Decoder:
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
