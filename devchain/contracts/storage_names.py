"""Names and values of storage slots, by a compiler's storage layout.

The slot of `balances[key]` is the hash of the key and the mapping's slot (Vyper: of the slot and
the key), that of the first element of an array the hash of the array's slot. The hashed bytes of an
execution tell which key it was:

    slot 0x8a2f..   keccak(0x..f39f || 0x..02)   `balances` is a mapping at slot 2:
    balances[0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266]
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from eth_hash.auto import keccak

from devchain.contracts.abi import AddressText, format_value
from devchain.contracts.fixed_point import decimal_text
from devchain.contracts.proxies import ERC1822, ERC1967
from devchain.types import WORD_SIZE, Address, checksum

MAX_FAR = 2**32
"""Slots behind a hash that may be of the same array, or the struct in a mapping."""

MAX_NESTED = 16
MAX_STEPS = 1_000
"""Types that are looked into for one name: a layout may contain itself."""

MAX_TYPE = 400
"""Characters of the type of a member."""

MAX_NAMES = 4
"""Variables of one slot that its name has."""

INTERFACE_SUFFIXES = (".vyi", ".vy", ".json")
MAX_FLAG = 2**64
"""No flag of Vyper has so many members that its values are as large."""

SMALL = 2**20
"""Values of an unknown type of Vyper, such as a flag, are numbers below it."""

MAX_SHOWN = 16
"""Slots of one variable that are listed."""

MAX_TEXT = 1_024
"""Bytes of a string that are shown."""

MAX_DIGITS = 80

END = 2**256
"""The number of slots."""

CONTENT = "t_"
"""The type of a part of a string, which no layout has: without a name."""

STRUCTS = "structs"
"""The key beside a layout of vyper with the structs of its sources, by name.

Each is a list of members, name and type; null if several differ. Vyper does not write it: it comes
from the syntax trees.
"""

SIZED = re.compile(r"bytes(\d{1,2})")
INTEGER = re.compile(r"(u?)int(\d{1,3})")
FIXED_ARRAY = re.compile(r"\[(\d{1,78})\]$")
VYPER_TEXT = re.compile(r"(String|Bytes)\[\d+\]")

Layout = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Variable:
    """What is in a slot: name, type by its id, and the byte of the word at which it begins.

    Byte 0 is the last of the word. Of an array whose elements share slots, `name` and `kind` are
    the array's name and the elements' type, `first` and `count` the elements in the slot.
    """

    name: str
    kind: str
    byte: int = 0
    first: int = 0
    count: int = 0
    counters: tuple[tuple[int, int], ...] = ()
    """For an element of a Vyper DynArray: how many slots before it the length is, and its index."""


class TypedValue(NamedTuple):
    """A variable in a slot: its name, its type as in the source, or empty, and its value."""

    name: str
    type: str
    value: str


WELL_KNOWN = {
    slot: Variable(f"EIP-1967 {name}", "bool" if name == "rollback" else "address")
    for name, slot in ERC1967.items()
} | {ERC1822: Variable("EIP-1822 implementation", "address")}
"""Slots that standards of proxies name."""


def fork_note(block: int) -> str:
    """What to say of the storage of a contract with mappings that is older than a fork."""
    return (
        f"Of mappings only keys used since the fork at block {block:,} are known: what is stored "
        "under earlier keys is not shown."
    )


class StorageNames:
    """Names of the slots of one contract, by its layout and by what an execution hashed.

    `preimages` are the bytes whose hash is a number, as they were hashed in the execution.
    """

    def __init__(
        self,
        layout: Layout | None,
        preimages: Mapping[int, bytes],
        address_text: AddressText = checksum,
    ) -> None:
        """Read a layout of solc or vyper; anything else gives no names but the well-known."""
        self._left = MAX_STEPS
        self._address_text = address_text
        self._is_vyper = not (layout and "storage" in layout)
        self._types = _types(layout)
        self._variables = list(_variables(layout))
        starts = (slot.to_bytes(WORD_SIZE) for slot, _ in self._variables if slot < END)
        arrays = {int.from_bytes(keccak(start)): start for start in starts}  # by the compiler
        self._preimages = {**arrays, **preimages}
        self._hashes = sorted(self._preimages)

    @property
    def has_variables(self) -> bool:
        """Whether there is a layout that has variables."""
        return bool(self._variables)

    @property
    def may_have_mappings(self) -> bool:
        """Whether the layout has a mapping, or there is none to say so."""
        encodings = {each.get("encoding") for each in self._types.values()}
        return not self._variables or "mapping" in encodings

    @property
    def starts(self) -> list[int]:
        """The slots of the layout's variables, of a long one the first `MAX_SHOWN`.

        Not those of mappings, which are always empty, nor elements of dynamic arrays, of which
        `elements` knows how many there are.
        """
        return sorted(
            {
                slot + each
                for slot, variable in self._variables
                if self._types.get(variable.kind, {}).get("encoding") != "mapping"
                for each in range(min(self._fixed_slots(variable.kind), MAX_SHOWN))
                if slot + each < END
            }
        )

    def find(self, slot: int) -> str | None:
        """The name of a slot: a variable, with keys and members; several if they share it."""
        names = [self._name(variable) for variable in self._variables_in(slot)]
        more = [*names[:MAX_NAMES], "..."] if len(names) > MAX_NAMES else names
        return ", ".join(more) or None

    def elements(self, slot: int, length: int) -> list[int]:
        """Slots of the first elements of a dynamic array of that length; empty if it is none."""
        found: list[int] = []
        for variable in self._variables_in(slot):
            entry = self._types.get(variable.kind, {})
            if entry.get("encoding") == "dynamic_array":
                size = self._bytes(str(entry.get("base", "")))
                in_slot = max(WORD_SIZE // size, 1)
                slots = -(-length // in_slot) * -(-size // WORD_SIZE)
                first = int.from_bytes(keccak(slot.to_bytes(WORD_SIZE)))
                found += range(first, min(first + min(slots, MAX_SHOWN), END))
            elif entry.get("counted"):  # of Vyper, behind their number
                slots = min(length * self._slots(str(entry["counted"])), MAX_SHOWN - 1)
                found += range(slot + 1, min(slot + 1 + slots, slot + self._slots(variable.kind)))
        return found

    def is_content(self, slot: int) -> bool:
        """Whether a slot has a part of a string or bytes, which begins in another slot."""
        return any(variable.kind == CONTENT for variable in self._variables_in(slot))

    def describe(self, slot: int, word: int) -> list[tuple[str, str]]:
        """Names and values of the variables in a slot that has this word; empty if not known."""
        return [(each.name, each.value) for each in self.typed(slot, word)]

    def typed(
        self, slot: int, word: int, read: Callable[[int], int] | None = None
    ) -> list[TypedValue]:
        """The variables in a slot that has this word, with types; empty if they are not known.

        With `read`, which gives the words of other slots, a long string has its content.
        """
        described = []
        for found in self._variables_in(slot):
            for variable in self._apart(found):
                name, kind = self._name(variable), self._type(variable)
                value = self._value(variable, word)
                if read and (content := self._content(variable, slot, word, read)):
                    name, kind, value = variable.name, self._label(variable.kind), content
                described.append(TypedValue(name, kind, value))
        return described

    def is_removed(self, slot: int, read: Callable[[int], int]) -> bool:
        """Whether all that a slot can have are elements behind the length of a DynArray of Vyper.

        Its code does not clear the slots of elements that it removes.
        """
        variables = self._variables_in(slot)
        return bool(variables) and all(
            any(read(slot - back) <= index for back, index in each.counters) for each in variables
        )

    def _variables_in(self, slot: int) -> list[Variable]:
        if slot in WELL_KNOWN:
            return [WELL_KNOWN[slot]]
        self._left = MAX_STEPS
        return self._found(slot, 0)

    def _name(self, variable: Variable) -> str:
        if variable.count:
            last = variable.first + variable.count - 1
            return f"{variable.name}[{variable.first}..{last}]"
        return f"{variable.name} (length)" if self._is_length(variable.kind) else variable.name

    def _is_length(self, kind: str) -> bool:
        entry = self._types.get(kind, {})
        return "counted" in entry or entry.get("encoding") == "dynamic_array"

    def _apart(self, variable: Variable) -> list[Variable]:
        if not variable.count:
            return [variable]
        name, kind, size = variable.name, variable.kind, self._bytes(variable.kind)
        return [
            Variable(f"{name}[{variable.first + index}]", kind, index * size)
            for index in range(variable.count)
        ]

    # The variables in a slot

    def _found(self, slot: int, depth: int) -> list[Variable]:
        direct = [
            each
            for start, variable in self._variables
            if start <= slot < start + self._slots(variable.kind)
            for each in self._inside(variable, slot - start, 0)
        ]
        return direct or (self._behind_hash(slot, depth) if depth < MAX_NESTED else [])

    def _behind_hash(self, slot: int, depth: int) -> list[Variable]:
        index = bisect_right(self._hashes, slot) - 1
        if index < 0 or slot - self._hashes[index] >= MAX_FAR:
            return []
        preimage, offset = self._preimages[self._hashes[index]], slot - self._hashes[index]
        if len(preimage) < WORD_SIZE:
            return []
        if len(preimage) == WORD_SIZE:
            parents = self._found(int.from_bytes(preimage), depth + 1)
            return [each for parent in parents for each in self._element(parent, offset)]
        if self._is_vyper:
            parent_slot, key = preimage[:WORD_SIZE], preimage[WORD_SIZE:]
        else:
            parent_slot, key = preimage[-WORD_SIZE:], preimage[:-WORD_SIZE]
        for parent in self._found(int.from_bytes(parent_slot), depth + 1):
            entry = self._types.get(parent.kind, {})
            if entry.get("encoding") == "mapping":
                name = f"{parent.name}[{self._key(str(entry.get('key', '')), key)}]"
                return self._inside(Variable(name, str(entry.get("value", ""))), offset, 0)
        return []

    def _element(self, array: Variable, offset: int) -> list[Variable]:
        entry = self._types.get(array.kind, {})
        encoding = entry.get("encoding")
        if encoding == "bytes":
            return [Variable(f"{array.name} (content)", CONTENT)]
        if encoding == "dynamic_array":
            return self._elements(array.name, str(entry.get("base", "")), offset, 0)
        return []

    def _elements(
        self, name: str, base: str, offset: int, depth: int, length: int | None = None
    ) -> list[Variable]:
        slots, size = self._slots(base), self._bytes(base)
        if size <= WORD_SIZE // 2:
            in_slot = WORD_SIZE // size
            first = offset * in_slot
            count = in_slot if length is None else min(in_slot, length - first)
            return [Variable(name, base, 0, first, count)] if count > 0 else []
        element = Variable(f"{name}[{offset // slots}]", base)
        return self._inside(element, offset % slots, depth + 1)

    def _inside(self, variable: Variable, offset: int, depth: int) -> list[Variable]:
        self._left -= 1
        if self._left < 0 or depth > MAX_NESTED:
            return []
        name, entry = variable.name, self._types.get(variable.kind, {})
        members = entry.get("members")
        if isinstance(members, list):
            return [
                each
                for start, member in _entries(members)
                if start <= offset < start + self._slots(member.kind)
                for each in self._inside(
                    replace(member, name=f"{name}.{member.name}"), offset - start, depth + 1
                )
            ]
        if "counted" in entry and offset:
            if base := str(entry["counted"]):
                counter = offset, (offset - 1) // self._slots(base)
                return [
                    replace(element, counters=(*element.counters, counter))
                    for element in self._elements(name, base, offset - 1, depth)
                ]
            return [Variable(f"{name} (content)", CONTENT)]
        if entry.get("encoding") == "inplace" and "base" in entry:
            fixed = FIXED_ARRAY.search(str(entry.get("label", "")))
            length = int(fixed[1]) if fixed else None
            return self._elements(name, str(entry["base"]), offset, depth, length)
        return [variable] if offset == 0 else [Variable(f"{name} + {offset}", "")]

    def _bytes(self, kind: str) -> int:
        return _number(self._types.get(kind, {}).get("numberOfBytes")) or WORD_SIZE

    def _slots(self, kind: str) -> int:
        return -(-self._bytes(kind) // WORD_SIZE)

    def _fixed_slots(self, kind: str) -> int:
        return 1 if self._types.get(kind, {}).get("counted") else self._slots(kind)

    # Types, keys and values

    def _type(self, variable: Variable) -> str:
        return "uint256" if self._is_length(variable.kind) else self._label(variable.kind)

    def _content(self, variable: Variable, slot: int, word: int, read: Callable[[int], int]) -> str:
        entry, label = self._types.get(variable.kind, {}), self._label(variable.kind)
        if entry.get("counted") == "":  # of Vyper, behind its length
            length, first = word, slot + 1
        elif entry.get("encoding") == "bytes" and word & 1:
            length, first = word >> 1, int.from_bytes(keccak(slot.to_bytes(WORD_SIZE)))
        else:
            return ""
        if length > MAX_TEXT:
            return ""
        slots = range(first, first + -(-length // WORD_SIZE))
        content = b"".join(read(each % END).to_bytes(WORD_SIZE) for each in slots)[:length]
        return _text(content) if label.startswith(("string", "String")) else format_value(content)

    def _label(self, kind: str) -> str:
        return str(self._types.get(kind, {}).get("label") or kind.removeprefix("t_"))

    def _key(self, kind: str, key: bytes) -> str:
        label = self._label(kind)
        if VYPER_TEXT.fullmatch(label):
            hashed = self._preimages.get(int.from_bytes(key))
            if hashed is None:
                return f"hash 0x{key.hex()}"
            key = hashed
        if label.startswith(("string", "String")):
            return _text(key)
        if label.startswith("Bytes") or (label.startswith("bytes") and not SIZED.fullmatch(label)):
            return format_value(key)
        return self._simple(label, int.from_bytes(key[:WORD_SIZE]), WORD_SIZE)

    def _value(self, variable: Variable, word: int) -> str:
        kind, label = variable.kind, self._label(variable.kind)
        if self._is_length(kind):
            return str(word)
        if self._types.get(kind, {}).get("encoding") == "bytes":
            return _short_text(word, is_text=label.startswith("string"))
        size = min(self._bytes(kind), WORD_SIZE)
        part = word >> (8 * variable.byte) & (2 ** (8 * size) - 1)
        sized = None if self._is_vyper else SIZED.fullmatch(label)
        if sized:  # at the right of its bytes, unlike on the stack
            part <<= 8 * max(0, WORD_SIZE - int(sized[1]))
        return self._simple(label, part, size)

    def _simple(self, label: str, word: int, size: int) -> str:
        if label == "bool" and word < 2:
            return "true" if word else "false"
        if number := _number_text(label, word, size):
            return number
        if sized := SIZED.fullmatch(label):
            return f"0x{word.to_bytes(WORD_SIZE)[: int(sized[1])].hex()}"
        is_address = label.startswith(("address", "contract")) or (
            self._is_vyper and _is_interface(label, word)
        )
        if is_address and word < 2**160:
            return self._address_text(Address(word.to_bytes(20)))
        if label.startswith("enum") or (self._is_vyper and word < SMALL):
            return str(word)
        return f"0x{word:0{2 * size}x}"


class JointStorageNames:
    """Names of the slots of an account on whose storage the code of several contracts runs.

    These are a proxy and its implementation: a slot has the variables of all of them.
    """

    def __init__(
        self,
        layouts: Sequence[Layout | None],
        preimages: Mapping[int, bytes],
        address_text: AddressText = checksum,
    ) -> None:
        """Read the layouts, the account's own first, as `StorageNames`."""
        self._all = [StorageNames(layout, preimages, address_text) for layout in layouts or [None]]

    @property
    def may_have_mappings(self) -> bool:
        """Whether a layout has a mapping, or none has a variable."""
        known = [each for each in self._all if each.has_variables] or self._all
        return any(each.may_have_mappings for each in known)

    @property
    def starts(self) -> list[int]:
        """The slots of the layouts' variables, as `StorageNames.starts`."""
        return sorted({slot for each in self._all for slot in each.starts})

    def elements(self, slot: int, length: int) -> list[int]:
        """Slots of the first elements of a dynamic array of that length; empty if it is none."""
        return [found for each in self._all for found in each.elements(slot, length)]

    def is_content(self, slot: int) -> bool:
        """Whether a slot has a part of a string or bytes, which begins in another slot."""
        return any(each.is_content(slot) for each in self._all)

    def describe(self, slot: int, word: int) -> list[tuple[str, str]]:
        """Names and values of the variables in a slot that has this word; empty if not known."""
        return [(each.name, each.value) for each in self.typed(slot, word)]

    def is_removed(self, slot: int, read: Callable[[int], int]) -> bool:
        """Whether by all layouts a slot has elements alone that were removed."""
        return all(each.is_removed(slot, read) for each in self._all)

    def typed(
        self, slot: int, word: int, read: Callable[[int], int] | None = None
    ) -> list[TypedValue]:
        """The variables in a slot, as `StorageNames.typed`; of several of a name the first."""
        found: dict[str, TypedValue] = {}
        for names in self._all:
            for each in names.typed(slot, word, read):
                found.setdefault(each.name, each)
        return list(found.values())


def _text(data: bytes) -> str:
    # Text in quotes; what a terminal would act on, or is no text, as hex.
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return format_value(data)
    return format_value(text if text.isprintable() else data)


def _short_text(word: int, *, is_text: bool) -> str:
    if word & 1:
        return f"{word >> 1} bytes"
    content = word.to_bytes(WORD_SIZE)[: (word & 0xFF) >> 1]
    return _text(content) if is_text else format_value(content)


def _types(layout: Layout | None) -> dict[str, Mapping[str, Any]]:
    types = layout.get("types") if isinstance(layout, Mapping) else None
    if isinstance(types, Mapping):
        return {name: each for name, each in types.items() if isinstance(each, Mapping)}
    return _vyper_types(layout) if isinstance(layout, Mapping) else {}


def _variables(layout: Layout | None) -> Iterator[tuple[int, Variable]]:
    if not isinstance(layout, Mapping):
        return
    storage = layout.get("storage")
    if isinstance(storage, list):
        yield from _entries(storage)
    else:
        for slot, _, name, kind in _vyper_variables(layout):
            yield slot, Variable(name, kind)


def _entries(written: list[Any]) -> Iterator[tuple[int, Variable]]:
    for each in written:
        slot = _number(each.get("slot")) if isinstance(each, Mapping) else None
        if slot is not None:
            byte = _number(each.get("offset")) or 0
            kind = str(each.get("type", ""))
            yield slot, Variable(str(each.get("label", "")), kind, min(byte, WORD_SIZE))


def _number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value if value >= 0 else None
    text = str(value)
    is_number = text.isascii() and text.isdigit() and len(text) < MAX_DIGITS
    return int(text) if is_number else None


# Vyper writes types as in its sources, `HashMap[address, DynArray[uint256, 3]]`, without members of
# structs, which are known from syntax trees. Each value begins in a slot of its own:
#
#     struct Bid:           layout: {"best": {"type": "Bid", "slot": 7, "n_slots": 3}}
#         who: address      slot 7: best.who
#         parts: bool[2]    slots 8 and 9: best.parts[0], best.parts[1]
#
# Modules have their variables in an object of their own.


def _vyper_variables(
    layout: Mapping[str, Any], prefix: str = "", depth: int = 0
) -> Iterator[tuple[int, int, str, str]]:
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
    written = layout.get(STRUCTS)
    structs = written if isinstance(written, Mapping) else {}
    for _, slots, _, kind in _vyper_variables(layout):
        described = _vyper_type(kind, types, structs)
        if "members" in described and _size(described) != slots * WORD_SIZE:
            described = {}  # of another struct of that name
        types[kind] = {"numberOfBytes": slots * WORD_SIZE, **described}
    return types


def _vyper_type(
    kind: str,
    types: dict[str, Mapping[str, Any]],
    structs: Mapping[str, Any],
    depth: int = 0,
) -> Mapping[str, Any]:
    # A type as solc would describe it; those it consists of are added to `types`.
    if kind in types or depth > MAX_NESTED:
        return types.get(kind, {})
    name, parts = _split(kind)
    described: dict[str, Any] = {}
    types[kind] = described  # a struct of a hostile layout may contain itself
    if name == "HashMap" and len(parts) == 2:
        described |= {"encoding": "mapping", "key": parts[0], "value": parts[1]}
        _vyper_type(parts[1], types, structs, depth + 1)
    elif name == "DynArray" and len(parts) == 2:
        size = _size(_vyper_type(parts[0], types, structs, depth + 1)) * (_number(parts[1]) or 1)
        described |= {"counted": parts[0], "numberOfBytes": WORD_SIZE + size}
    elif name in {"String", "Bytes"} and len(parts) == 1:
        size = ((_number(parts[0]) or 0) + WORD_SIZE - 1) // WORD_SIZE * WORD_SIZE
        described |= {"counted": "", "numberOfBytes": WORD_SIZE + size}
    elif len(parts) == 1 and (count := _number(parts[0])):
        size = _size(_vyper_type(name, types, structs, depth + 1)) * count
        described |= {"encoding": "inplace", "base": name, "numberOfBytes": size}
    elif isinstance(members := structs.get(kind), Sequence):
        described |= _vyper_struct(members, types, structs, depth)
    return described


def _vyper_struct(
    written: Sequence[Any],
    types: dict[str, Mapping[str, Any]],
    structs: Mapping[str, Any],
    depth: int,
) -> dict[str, Any]:
    # A struct as solc would describe it; empty if the size of a member is not known.
    members = []
    slot = 0
    for each in written:
        match each:
            case [str(name), str(kind)] if _is_sized(kind, structs):
                members.append({"label": name, "slot": slot, "type": kind})
                slot += _size(_vyper_type(kind, types, structs, depth + 1)) // WORD_SIZE
            case _:
                return {}
    return {"members": members, "numberOfBytes": slot * WORD_SIZE}


def _is_sized(kind: str, structs: Mapping[str, Any]) -> bool:
    # A name that no struct has is that of a flag or an interface, which take a slot.
    if len(kind) > MAX_TYPE:
        return False
    name, parts = _split(kind)
    if name == "DynArray" and len(parts) == 2:
        return _number(parts[1]) is not None and _is_sized(parts[0], structs)
    if name in {"String", "Bytes"} or (parts and name != "HashMap"):
        is_counted = len(parts) == 1 and _number(parts[0]) is not None
        return is_counted and (name in {"String", "Bytes"} or _is_sized(name, structs))
    return bool(kind) and structs.get(kind, kind) is not None


def _number_text(label: str, word: int, size: int) -> str:
    integer = INTEGER.fullmatch(label)
    if integer is None and label != "decimal":
        return ""
    is_negative = word >> (8 * size - 1) and not (integer and integer[1])
    number = word - (1 << (8 * size)) if is_negative else word
    return str(number) if integer else decimal_text(number)


def _is_interface(kind: str, word: int) -> bool:
    # A name without a file is that of either one: no flag has so many members as to be a large
    # word.
    return kind.endswith(INTERFACE_SUFFIXES) or (kind.isidentifier() and word >= MAX_FLAG)


def _size(described: Mapping[str, Any]) -> int:
    return _number(described.get("numberOfBytes")) or WORD_SIZE


def _split(kind: str) -> tuple[str, list[str]]:
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
