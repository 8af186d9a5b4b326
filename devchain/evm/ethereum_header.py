"""py-evm's block headers, copied and encoded without its generic serializer.

That one checks and converts each field of a header by objects that describe the field; here a
header class is a table of its attributes and of the functions that encode them. The results are
the same: a test compares them for every hardfork.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from rlp.sedes import BigEndianInt, Binary

from devchain.state.keccak import keccak
from devchain.state.rlp import encode_bytes, encode_int, wrap

HASH_BYTES = 32
HASH_HEAD = b"\xa0"
"""What comes before a hash in RLP."""


class _Layout(NamedTuple):
    """The attributes that a header class keeps its fields in, and how each is encoded."""

    attribute_of: dict[str, str]
    values: Callable[[Any], tuple[Any, ...]]
    encoders: tuple[Callable[[Any], bytes], ...]


@lru_cache(maxsize=64)
def _layout(kind: Any) -> _Layout:
    meta = kind._meta  # noqa: SLF001  # rlp has no public name for it
    names, attributes = meta.field_names, meta.field_attrs
    encoders = [_encoder(sedes) for _, sedes in meta.fields]
    values = attrgetter(*attributes)
    named = dict(zip(names, attributes, strict=True))
    return _Layout(named, values, tuple(encoders))


def _encoder(sedes: Any) -> Callable[[Any], bytes]:
    if isinstance(sedes, BigEndianInt):
        size = sedes.length
        if not size:
            return encode_int
        zero = encode_bytes(bytes(size))
        return lambda value: encode_bytes(value.to_bytes(size)) if value else zero
    if isinstance(sedes, Binary) and sedes.min_length == sedes.max_length == HASH_BYTES:
        return HASH_HEAD.__add__
    return encode_bytes


def copy_header(header: Any, changes: dict[str, Any]) -> Any:
    """A copy with other values in some fields, by name."""
    kind = header.__class__
    attribute_of = _layout(kind).attribute_of
    copied = object.__new__(kind)
    copied.__dict__ = own = header.__dict__.copy()
    own.pop("_hash", None)
    if len(own) > len(attribute_of):  # other cached values, of which the copy has none
        for name in own.keys() - attribute_of.values():
            del own[name]
    for name, value in changes.items():
        own[attribute_of[name]] = value
    return copied


def field_reader(kind: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """The names of a header class's fields, and a function that reads their values of a header."""
    layout = _layout(kind)
    return tuple(layout.attribute_of), layout.values


def encode_header(header: Any) -> bytes:
    """RLP of a header."""
    layout = _layout(header.__class__)
    pairs = zip(layout.encoders, layout.values(header), strict=True)
    return wrap(b"".join([encode(value) for encode, value in pairs]))


def hash_header(header: Any) -> bytes:
    """The block hash: keccak-256 of the RLP. py-evm's `hash` is the same from then on."""
    found: bytes | None = header._hash  # noqa: SLF001  # where py-evm keeps it
    if found is None:
        found = header._hash = keccak(encode_header(header))  # noqa: SLF001
    return found
