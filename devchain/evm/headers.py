"""Block headers of either chain: py-evm's, and Rootstock's: copied, encoded, hashed.

py-evm's generic serializer checks and converts each field of a header by objects that describe it;
here a header class is a table of its attributes and of the functions that encode them. The results
are the same: a test compares them for every hardfork.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple, cast

from rlp.sedes import BigEndianInt, Binary

from devchain.evm.rootstock.header import FIELDS as ROOTSTOCK_FIELDS
from devchain.evm.rootstock.header import HASH_HEAD, RootstockHeader
from devchain.state.keccak import keccak
from devchain.state.rlp import encode_bytes, encode_int, wrap
from devchain.types import WORD_SIZE, Hash32


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
    named = dict(zip(names, attributes, strict=True))
    return _Layout(named, attrgetter(*attributes), tuple(encoders))


def _encoder(sedes: Any) -> Callable[[Any], bytes]:
    if isinstance(sedes, BigEndianInt):
        size = sedes.length
        if not size:
            return encode_int
        zero = encode_bytes(bytes(size))
        return lambda value: encode_bytes(value.to_bytes(size)) if value else zero
    if isinstance(sedes, Binary) and sedes.min_length == sedes.max_length == WORD_SIZE:
        return HASH_HEAD.__add__
    return encode_bytes


def changed_header(header: Any, **changes: Any) -> Any:
    """A copy of a header with other values in some fields.

    As py-evm's `header.copy`, which first copies each of the values deeply: they never change.
    """
    if isinstance(header, RootstockHeader):
        return header.copy(**changes)
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


def header_fields(header: Any) -> Collection[str]:
    """The names of the fields that a header's RLP has under its hardfork."""
    if isinstance(header, RootstockHeader):
        return ROOTSTOCK_FIELDS
    return cast(Collection[str], header._meta.field_names)  # noqa: SLF001  # rlp has no public way


def encode_header(header: Any) -> bytes:
    """RLP of a header; its keccak-256 is the block's hash."""
    if isinstance(header, RootstockHeader):
        return header.encode()
    layout = _layout(header.__class__)
    pairs = zip(layout.encoders, layout.values(header), strict=True)
    return wrap(b"".join([encode(value) for encode, value in pairs]))


def hash_header(header: Any) -> Hash32:
    """The hash of the block of a header. py-evm's `hash` is the same from then on."""
    if isinstance(header, RootstockHeader):
        return Hash32(header.hash)
    if header._hash is None:  # noqa: SLF001  # where py-evm keeps it
        header._hash = Hash32(keccak(encode_header(header)))  # noqa: SLF001
    return cast(Hash32, header._hash)  # noqa: SLF001


def empty_block(vm_class: Any, header: Any) -> Any:
    """py-evm's block of that header without transactions, uncles and withdrawals."""
    block_class = vm_class.get_block_class()
    has_withdrawals = "withdrawals" in block_class._meta.field_names  # noqa: SLF001  # as above
    return block_class(header, (), (), ()) if has_withdrawals else block_class(header, (), ())
