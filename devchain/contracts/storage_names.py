"""Names of storage slots: variables, keys of mappings and indices of arrays, by a storage layout.

The slot of `balances[key]` is the hash of the key and the mapping's slot (Vyper: of the slot and
the key). The hashed bytes of an execution tell which key it was:

    slot 0x8a2f..   keccak(0x..f39f || 0x..02)   `balances` is a mapping at slot 2:
    balances[0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266]
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

from eth_hash.auto import keccak

WORD = 32
MAX_FAR = 2**32
"""Slots behind a hash that may be of the same array, or the struct in a mapping."""

MAX_NESTED = 16
MAX_STEPS = 1_000
"""Types that are looked into for one name: a layout may contain itself."""

MAX_VARIABLES = 4
"""Variables of one slot that its name has."""

WELL_KNOWN = {
    int.from_bytes(keccak(f"eip1967.proxy.{each}".encode())) - 1: f"EIP-1967 {each}"
    for each in ("implementation", "admin", "beacon", "rollback")
} | {int.from_bytes(keccak(b"PROXIABLE")): "EIP-1822 implementation"}
"""Slots that standards of proxies name."""

Layout = Mapping[str, Any]


class StorageNames:
    """Names of the slots of one contract.

    `preimages` are the bytes whose hash is a number, as they were hashed in the execution.
    """

    def __init__(self, layout: Layout | None, preimages: Mapping[int, bytes]) -> None:
        self._left = MAX_STEPS
        self._is_vyper = not (layout and "storage" in layout)
        self._types = _types(layout)
        self._variables = sorted(_variables(layout), key=lambda each: (each[0], each[1]))
        self._preimages = preimages
        self._hashes = sorted(preimages)
        self._arrays = sorted(
            (int.from_bytes(keccak(slot.to_bytes(WORD))), slot)
            for slot, _, _, _ in self._variables
            if 0 <= slot < 2**256
        )

    def find(self, slot: int) -> str | None:
        """The name of a slot: a variable, with keys and members; several if they share it."""
        if slot in WELL_KNOWN:
            return WELL_KNOWN[slot]
        self._left = MAX_STEPS
        names = [name for name, _ in self._found(slot, 0)]
        more = [*names[:MAX_VARIABLES], "..."] if len(names) > MAX_VARIABLES else names
        return ", ".join(more) or None

    def _found(self, slot: int, depth: int) -> list[tuple[str, str]]:
        """Names and types of what begins at a slot, or has it inside."""
        direct = [
            each
            for start, _, label, kind in self._variables
            if start <= slot < start + self._slots(kind)
            for each in self._inside(label, kind, slot - start)
        ]
        return direct or (self._behind_hash(slot, depth) if depth < MAX_NESTED else [])

    def _behind_hash(self, slot: int, depth: int) -> list[tuple[str, str]]:
        """What is at a slot that was computed by hashing: of a mapping, or a dynamic array."""
        for hashes in (self._hashes, [each for each, _ in self._arrays]):
            index = bisect_right(hashes, slot) - 1
            if index < 0 or slot - hashes[index] >= MAX_FAR:
                continue
            start = hashes[index]
            preimage = self._preimages.get(start)
            if preimage is None:
                preimage = dict(self._arrays)[start].to_bytes(WORD)
            if found := self._hashed(preimage, slot - start, depth):
                return found
        return []

    def _hashed(self, preimage: bytes, offset: int, depth: int) -> list[tuple[str, str]]:
        if len(preimage) == WORD:
            parents = self._found(int.from_bytes(preimage), depth + 1)
            return [each for name, kind in parents for each in self._element(name, kind, offset)]
        if self._is_vyper:
            slot, key = preimage[:WORD], preimage[WORD:]
        else:
            slot, key = preimage[-WORD:], preimage[:-WORD]
        for name, kind in self._found(int.from_bytes(slot), depth + 1):
            entry = self._types.get(kind, {})
            if entry.get("encoding") == "mapping":
                written = _key(key, str(entry.get("key", "")))
                return self._inside(f"{name}[{written}]", str(entry.get("value", "")), offset)
        return []

    def _element(self, name: str, kind: str, offset: int) -> Iterator[tuple[str, str]]:
        """An element of a dynamic array, or a part of a long string."""
        entry = self._types.get(kind, {})
        encoding = entry.get("encoding")
        if encoding == "bytes":
            yield f"{name} (content)", ""
        elif encoding == "dynamic_array":
            base = str(entry.get("base", ""))
            yield from self._elements(name, base, offset)

    def _elements(self, name: str, base: str, offset: int) -> list[tuple[str, str]]:
        slots, size = self._slots(base), self._bytes(base)
        if slots == 1 and 0 < size <= WORD // 2:
            each = WORD // size
            return [(f"{name}[{offset * each}..{offset * each + each - 1}]", base)]
        return self._inside(f"{name}[{offset // slots}]", base, offset % slots)

    def _inside(self, name: str, kind: str, offset: int) -> list[tuple[str, str]]:
        """What is so many slots behind the start of a value of that type."""
        self._left -= 1
        if self._left < 0 or name.count(".") > MAX_NESTED:
            return []
        entry = self._types.get(kind, {})
        members = entry.get("members")
        if isinstance(members, list):
            return [
                each
                for start, _, label, member in _entries(members)
                if start <= offset < start + self._slots(member)
                for each in self._inside(f"{name}.{label}", member, offset - start)
            ]
        if "counted" in entry:
            if offset and entry["counted"]:
                return self._elements(name, str(entry["counted"]), offset - 1)
            return [(f"{name} ({'content' if offset else 'length'})", "")]
        if entry.get("encoding") == "inplace" and "base" in entry:
            return self._elements(name, str(entry["base"]), offset)
        return [(name, kind)] if offset == 0 else [(f"{name} + {offset}", "")]

    def _bytes(self, kind: str) -> int:
        return _number(self._types.get(kind, {}).get("numberOfBytes")) or WORD

    def _slots(self, kind: str) -> int:
        return max(1, (self._bytes(kind) + WORD - 1) // WORD)


def _key(key: bytes, kind: str) -> str:
    """A key of a mapping by its type, `t_address` of solc or `address` of vyper."""
    kind, value = kind.removeprefix("t_"), int.from_bytes(key)
    if kind.startswith(("string", "bytes_")):
        text = key.decode(errors="replace")
        return f'"{text}"' if text.isprintable() else f"0x{key.hex()}"
    if kind.startswith(("address", "contract")) and value < 2**160:
        return f"0x{value:040x}"
    if kind == "bool" and value < 2:
        return "true" if value else "false"
    if kind.startswith("int") and value >= 2**255:
        return str(value - 2**256)
    if kind.startswith(("uint", "int", "enum")):
        return str(value)
    size = _number(kind.removeprefix("bytes")) or WORD
    return f"0x{key[:size].hex()}"


def _types(layout: Layout | None) -> dict[str, Mapping[str, Any]]:
    """Types by name, as solc writes them."""
    types = layout.get("types") if isinstance(layout, Mapping) else None
    if isinstance(types, Mapping):
        return {name: each for name, each in types.items() if isinstance(each, Mapping)}
    return _vyper_types(layout) if isinstance(layout, Mapping) else {}


def _variables(layout: Layout | None) -> Iterator[tuple[int, int, str, str]]:
    """Slot, byte in it, name and type of each variable."""
    if not isinstance(layout, Mapping):
        return
    storage = layout.get("storage")
    if isinstance(storage, list):
        yield from _entries(storage)
    else:
        for slot, _, name, kind in _vyper_variables(layout):
            yield slot, 0, name, kind


def _entries(written: list[Any]) -> Iterator[tuple[int, int, str, str]]:
    for each in written:
        slot = _number(each.get("slot")) if isinstance(each, Mapping) else None
        if slot is not None:
            byte = _number(each.get("offset")) or 0
            yield slot, byte, str(each.get("label", "")), str(each.get("type", ""))


def _number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value if value >= 0 else None
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 80 else None


# Vyper writes types as in its sources, `HashMap[address, DynArray[uint256, 3]]`, without members of
# structs. Modules have their variables in an object of their own.


def _vyper_variables(
    layout: Mapping[str, Any], prefix: str = "", depth: int = 0
) -> Iterator[tuple[int, int, str, str]]:
    """Slot, number of slots, name and type of each variable."""
    found = layout.get("storage_layout", layout)
    for name, each in found.items() if isinstance(found, Mapping) else ():
        if not isinstance(each, Mapping):
            continue
        slot = _number(each.get("slot"))
        if slot is not None:
            yield slot, _number(each.get("n_slots")) or 1, f"{prefix}{name}", str(each.get("type"))
        elif depth < MAX_NESTED:
            yield from _vyper_variables(each, f"{prefix}{name}.", depth + 1)


def _vyper_types(layout: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    types: dict[str, Mapping[str, Any]] = {}
    for _, slots, _, kind in _vyper_variables(layout):
        described = _vyper_type(kind, types)
        types[kind] = {"numberOfBytes": slots * WORD, **described}
    return types


def _vyper_type(
    kind: str, types: dict[str, Mapping[str, Any]], depth: int = 0
) -> Mapping[str, Any]:
    """A type as solc would describe it; those it consists of are added to `types`."""
    if kind in types or depth > MAX_NESTED:
        return types.get(kind, {})
    name, parts = _split(kind)
    described: dict[str, Any] = {}
    if name == "HashMap" and len(parts) == 2:
        described = {"encoding": "mapping", "key": parts[0], "value": parts[1]}
        _vyper_type(parts[1], types, depth + 1)
    elif name == "DynArray" and len(parts) == 2:
        size = _size(_vyper_type(parts[0], types, depth + 1)) * (_number(parts[1]) or 1)
        described = {"counted": parts[0], "numberOfBytes": WORD + size}
    elif name in {"String", "Bytes"} and len(parts) == 1:
        size = ((_number(parts[0]) or 0) + WORD - 1) // WORD * WORD
        described = {"counted": "", "numberOfBytes": WORD + size}
    elif len(parts) == 1 and (count := _number(parts[0])):
        size = _size(_vyper_type(name, types, depth + 1)) * count
        described = {"encoding": "inplace", "base": name, "numberOfBytes": size}
    types[kind] = described
    return described


def _size(described: Mapping[str, Any]) -> int:
    return _number(described.get("numberOfBytes")) or WORD


def _split(kind: str) -> tuple[str, list[str]]:
    """What is before the last brackets and the parts in them: `HashMap`, `["address", "bool"]`."""
    if not kind.endswith("]"):
        return kind, []
    parts: list[str] = []
    part, depth = "", 0
    for position in range(len(kind) - 2, -1, -1):
        each = kind[position]
        if each == "[" and depth == 0:
            return kind[:position], [item.strip() for item in reversed([*parts, part])]
        if each == "," and depth == 0:
            parts.append(part)
            part = ""
            continue
        depth += (each == "]") - (each == "[")
        part = each + part
    return kind, []
