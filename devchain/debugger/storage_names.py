"""Names and values of storage slots, from a compiler's storage layout.

Slots of mappings and dynamic arrays are hashes. What was hashed to them is known where the
execution hashed it, so that a slot gets its name from the trace:

    keccak256(key . 2)        balances[0x12..]      slot 2 is the mapping `balances`
    keccak256(3) + 1          queue[1]              slot 3 is the length of `queue`
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from devchain.contracts.abi import AddressText, format_value
from devchain.types import WORD_SIZE, Address

MAX_NESTING = 8
MAX_DISTANCE = 2**20
"""Slots after a hash that may be of the array or struct that begins there."""

HASH_MAP = re.compile(r"HashMap\[(?P<key>[^,\[\]]+), (?P<value>.+)\]")
INTEGER = re.compile(r"(u?)int(\d+)")
SIZED = re.compile(r"bytes(\d+)")


@dataclass(frozen=True, slots=True)
class Variable:
    """What is in a slot: name, type by its id, and the byte in the word at which it begins."""

    name: str
    kind: str
    offset: int = 0


class StorageNames:
    """Names of the slots of one contract by its layout, and by what the execution hashed."""

    def __init__(
        self,
        layout: Mapping[str, Any] | None,
        preimages: Mapping[int, bytes],
        address_text: AddressText,
    ) -> None:
        """Read a layout of solc or vyper; anything else gives no names."""
        self._preimages = preimages
        self._hashes = sorted(preimages)
        self._address_text = address_text
        self._types: dict[str, Mapping[str, Any]] = {}
        self._items: list[tuple[int, int, Variable]] = []
        self._is_vyper = False
        if layout and isinstance(layout.get("storage"), list):
            types = layout.get("types")
            self._types = dict(types) if isinstance(types, Mapping) else {}
            self._items = list(self._solc_items(layout["storage"]))
        elif layout:
            self._is_vyper = True
            found = layout.get("storage_layout", layout)
            self._items = list(_vyper_items(found, ""))

    def describe(self, slot: int, word: int) -> list[tuple[str, str]]:
        """Names and values of the variables in a slot that has this word; empty if not known."""
        return [(each.name, self._value(each, word)) for each in self._variables(slot, 0)]

    def _variables(self, slot: int, nesting: int) -> list[Variable]:
        found = []
        for first, size, variable in self._items:
            if first <= slot < first + size:
                found += self._within(variable, slot - first, 0)
        return found or self._hashed(slot, nesting)

    def _hashed(self, slot: int, nesting: int) -> list[Variable]:
        index = bisect_right(self._hashes, slot) - 1
        if index < 0 or nesting >= MAX_NESTING:
            return []
        start = self._hashes[index]
        data = self._preimages[start]
        if slot - start > MAX_DISTANCE or len(data) < WORD_SIZE:
            return []
        parent, key = data[-WORD_SIZE:], data[:-WORD_SIZE]
        if self._is_vyper:
            parent, key = data[:WORD_SIZE], data[WORD_SIZE:]
        for each in self._variables(int.from_bytes(parent, "big"), nesting + 1):
            element = self._element(each, key)
            if element and each.offset == 0:
                return self._within(element, slot - start, 0)
        return []

    def _element(self, parent: Variable, key: bytes) -> Variable | None:
        """What begins at the hash of a slot: the value of a mapping, the data of an array."""
        if self._is_vyper:
            found = HASH_MAP.fullmatch(parent.kind)
            if not found or not key:
                return None
            return Variable(f"{parent.name}[{self._key(found['key'], key)}]", found["value"])
        kind = self._type(parent.kind)
        if kind.get("encoding") == "mapping" and key:
            label = str(self._type(str(kind.get("key"))).get("label", ""))
            name = f"{parent.name}[{self._key(label, key)}]"
            return Variable(name, str(kind.get("value")))
        if kind.get("encoding") == "dynamic_array" and not key:
            return Variable(parent.name, f"elements {parent.kind}")
        if kind.get("encoding") == "bytes" and not key:
            return Variable(f"{parent.name} (text)", "text")
        return None

    def _within(self, variable: Variable, slot: int, nesting: int) -> list[Variable]:
        """The variables in a slot of a variable, counted from its first."""
        elements = variable.kind.startswith("elements ")
        kind = self._type(variable.kind.removeprefix("elements "))
        members = kind.get("members")
        if nesting < MAX_NESTING and isinstance(members, list):
            return self._members(variable.name, members, slot, nesting)
        base = str(kind.get("base", ""))
        if nesting < MAX_NESTING and base and (elements or kind.get("encoding") == "inplace"):
            return self._elements(variable.name, base, slot, nesting)
        if self._is_vyper and slot:
            return [Variable(f"{variable.name} + {slot}", "")]
        return [variable]

    def _members(self, name: str, members: list[Any], slot: int, nesting: int) -> list[Variable]:
        found = []
        for first, size, each in self._solc_items(members):
            if first <= slot < first + size:
                member = Variable(f"{name}.{each.name}", each.kind, each.offset)
                found += self._within(member, slot - first, nesting + 1)
        return found

    def _elements(self, name: str, base: str, slot: int, nesting: int) -> list[Variable]:
        size = self._size(base)
        if size > WORD_SIZE // 2:
            index, inside = divmod(slot, -(-size // WORD_SIZE))
            return self._within(Variable(f"{name}[{index}]", base), inside, nesting + 1)
        count = WORD_SIZE // size
        return [
            Variable(f"{name}[{slot * count + each}]", base, each * size) for each in range(count)
        ]

    def _solc_items(self, listed: list[Any]) -> Iterator[tuple[int, int, Variable]]:
        """First slot, number of slots and variable of each item of a layout or struct."""
        for each in listed:
            slot, offset = (_number(each.get(name)) for name in ("slot", "offset"))
            kind = str(each.get("type", ""))
            slots = -(-self._size(kind) // WORD_SIZE)
            yield slot, slots, Variable(str(each.get("label", "")), kind, offset)

    def _type(self, kind: str) -> Mapping[str, Any]:
        found = self._types.get(kind)
        return found if isinstance(found, Mapping) else {}

    def _size(self, kind: str) -> int:
        return max(1, _number(self._type(kind).get("numberOfBytes", WORD_SIZE)))

    # Values

    def _key(self, label: str, key: bytes) -> str:
        if label in {"string", "bytes"}:
            return format_value(key.decode(errors="replace") if label == "string" else key)
        return self._simple(label, int.from_bytes(key, "big"), WORD_SIZE)

    def _value(self, variable: Variable, word: int) -> str:
        kind = self._type(variable.kind)
        encoding = kind.get("encoding")
        if encoding == "bytes":
            return _short_text(word, is_text=kind.get("label") == "string")
        if encoding == "dynamic_array":
            return f"length {word}"
        if self._is_vyper:
            return self._simple(variable.kind, word, WORD_SIZE)
        if not kind:
            return f"0x{word:064x}"
        size = self._size(variable.kind)
        part = word >> (8 * variable.offset) & (2 ** (8 * size) - 1)
        label = str(kind.get("label", ""))
        if sized := SIZED.fullmatch(label):  # at the right of its bytes, unlike on the stack
            part <<= 8 * (WORD_SIZE - int(sized[1]))
        return self._simple(label, part, size)

    def _simple(self, label: str, word: int, size: int) -> str:
        """A value of an elementary type; of others the word in hex."""
        if label == "bool":
            return "true" if word else "false"
        if label.startswith(("address", "contract ")):
            return self._address_text(Address(word.to_bytes(WORD_SIZE, "big")[-20:]))
        if sized := SIZED.fullmatch(label):
            return f"0x{word.to_bytes(WORD_SIZE, 'big')[: int(sized[1])].hex()}"
        integer = INTEGER.fullmatch(label)
        if integer and not integer[1] and word >> (8 * size - 1):
            return str(word - (1 << (8 * size)))
        if integer or label.startswith("enum ") or (self._is_vyper and word < MAX_DISTANCE):
            return str(word)
        return f"0x{word:064x}"


def _vyper_items(listed: object, prefix: str) -> Iterator[tuple[int, int, Variable]]:
    """Those of vyper; variables of modules are in objects of their own."""
    for name, each in listed.items() if isinstance(listed, Mapping) else ():
        if not isinstance(each, Mapping):
            continue
        if "slot" in each:
            slots = max(1, _number(each.get("n_slots", 1)))
            kind = str(each.get("type", ""))
            yield _number(each["slot"]), slots, Variable(f"{prefix}{name}", kind)
        elif prefix.count(".") < MAX_NESTING:
            yield from _vyper_items(each, f"{prefix}{name}.")


def _number(value: object) -> int:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 78 else 0


def _short_text(word: int, *, is_text: bool) -> str:
    """A string or bytes: what is shorter than a word is in its slot, else the slot has the size."""
    if word & 1:
        return f"{word >> 1} bytes"
    content = word.to_bytes(WORD_SIZE, "big")[: (word & 0xFF) >> 1]
    return format_value(content.decode(errors="replace") if is_text else content)
