"""Limits of Vyper's types: text, bytes and lists that are longer than their type allows.

An ABI does not have the limits: `String[32]` is `string` there, and `DynArray[uint256, 3]` is
`uint256[]`. Types come from the source, `texts: DynArray[String[MAX], 3]`, with the constants and
structs of the same source. A type of another module is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from devchain.source.local_variables import ARRAY_TYPE, LIST_TYPE, TEXT_TYPE

MAX_ITEMS = 10_000
"""Values of a list that are looked at."""
SIZE_NAME = re.compile(r"\[(?:.*, )?([A-Za-z_]\w*)\]\Z", re.ASCII)
"""The size of a type, if it is a constant: the outermost of `DynArray[String[4], MAX]`."""


class TooLong(NamedTuple):
    """A value that is too long: its place in an argument (`texts[1]`), its size, its type."""

    place: str
    size: int
    unit: str
    kind: str
    limit: int

    def __str__(self) -> str:
        return f"{self.size:,} {self.unit}, and {self.kind} has at most {self.limit:,}"


def too_long(kind: str, value: Any, place: str, source: str) -> TooLong | None:
    """What of a value of a type is longer than the type allows; the outermost, then the first.

    `kind` is the type as the text `source` of a module of Vyper has it.
    """
    kind = _with_number(kind.strip(), source)
    if text := TEXT_TYPE.fullmatch(kind):
        size = len(value.encode(errors="surrogatepass") if isinstance(value, str) else value)
        is_long = size > int(text[2])
        return TooLong(place, size, "bytes", kind, int(text[2])) if is_long else None
    listed = LIST_TYPE.fullmatch(kind)
    if listed and len(value) > int(listed[2]):
        return TooLong(place, len(value), "items", kind, int(listed[2]))
    if found := listed or ARRAY_TYPE.fullmatch(kind):
        items = enumerate(value[:MAX_ITEMS])
        parts = (too_long(found[1], each, f"{place}[{index}]", source) for index, each in items)
        return next(filter(None, parts), None)
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return None
    members = zip(_members(kind, source), value, strict=False)
    longer = (
        too_long(written, each, f"{place}.{name}", source) for (name, written), each in members
    )
    return next(filter(None, longer), None)


def _with_number(kind: str, source: str) -> str:
    named = SIZE_NAME.search(kind)
    if named is None:
        return kind
    declared = re.search(
        rf"^{named[1]}\s*:\s*(?:public\()?constant\(\w+\)\)?\s*=\s*(\d[\d_]*)\s*(?:#.*)?$",
        source,
        re.ASCII | re.MULTILINE,
    )
    number = declared[1].replace("_", "") if declared else named[1]
    return f"{kind[: named.start(1)]}{number}]"


def _members(name: str, source: str) -> Iterator[tuple[str, str]]:
    if not name.isidentifier():
        return
    start = re.search(rf"^struct\s+{name}\s*:[^\n]*\n", source, re.MULTILINE)
    for line in source[start.end() :].split("\n") if start else ():
        code = line.partition("#")[0]
        if code and not code[0].isspace():
            return
        member, _, kind = code.partition(":")
        if kind:
            yield member.strip(), re.sub(r"\s*,\s*", ", ", kind.strip())
