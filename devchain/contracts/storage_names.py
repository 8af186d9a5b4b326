"""Names and values of storage slots, by a compiler's storage layout.

The hashed bytes of an execution tell the key in a mapping: slot 0x8a2f.., the hash of 0x..f39f and
of 0x..02, is `balances[0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266]` if `balances` is at slot 2.
Vyper hashes the slot before the key, and writes types as in its sources, without members of
structs, which are known from the sources; each value begins in a slot of its own.
Layouts come from clients too: they may have parts of any type, and types that contain themselves.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import islice
from typing import Any, NamedTuple

from eth_hash.auto import keccak

from devchain.contracts.abi import EnumText, Param, format_value
from devchain.contracts.proxies import ERC1822, ERC1967
from devchain.contracts.typed_arguments import AccountAddress, parse_typed
from devchain.contracts.value_types import AddressText, Kind, ValueType, parse_type, word_text
from devchain.errors import InvalidInput
from devchain.types import WORD_SIZE, Address, checksum

MAX_FAR = 2**32  # slots behind a hash that may be of the same array, or the struct in a mapping
MAX_NESTED = 16
MAX_STEPS = 4_000  # variables and members looked at for one name: layouts may be cyclic
MAX_NAMES = 4  # variables of one slot that its name has
INTERFACE_SUFFIXES = (".vyi", ".vy", ".json")
MAX_FLAG = 2**64  # no flag of Vyper has so many members that its values are as large
SMALL = 2**20  # values of an unknown type of Vyper, such as a flag, are numbers below it
MAX_SHOWN = 16  # slots of one variable that are listed
MAX_TEXT, MAX_WHOLE_TEXT = 1_024, 200_000  # bytes of a string that are read, also to show it whole
MAX_DIGITS = 80
END = 2**256
STRUCTS = "structs"
"""The key beside a layout of vyper with the structs of its sources, by name.

Each is a list of members, name and type; null if several differ.
"""

Layout = Mapping[str, Any]


class Shape(Enum):
    """How the slots of a type are laid out."""

    VALUE = auto()
    STRUCT = auto()
    ARRAY = auto()
    MAPPING = auto()
    LIST = auto()  # its length; the elements begin at the hash of the slot
    TEXT = auto()  # a short string, or the length of one that begins at the hash of the slot
    COUNTED = auto()  # a DynArray of Vyper: its length, followed by the elements
    COUNTED_TEXT = auto()  # a String or Bytes of Vyper: its length, then the content
    CONTENT = auto()  # a part of a string, without a name of its own


ABI_NAMES = {Kind.ADDRESS: "address", Kind.STRING: "string", Kind.BYTES: "bytes"}
LENGTHS = frozenset({Shape.LIST, Shape.COUNTED, Shape.COUNTED_TEXT})
ENCODINGS = {"mapping": Shape.MAPPING, "dynamic_array": Shape.LIST, "bytes": Shape.TEXT}


@dataclass(frozen=True, slots=True)
class SlotType:
    """A type of a layout: `label` as in the source, `size` in bytes.

    `key` and `element` are other types by their ids, `count` the elements of an array.
    """

    label: str
    size: int = WORD_SIZE
    shape: Shape = Shape.VALUE
    key: str = ""
    element: str = ""
    count: int = 0
    members: tuple[tuple[int, Variable], ...] = ()

    @property
    def slots(self) -> int:
        return -(-self.size // WORD_SIZE)

    @property
    def value(self) -> ValueType:
        return parse_type(self.label)


@dataclass(frozen=True, slots=True)
class Variable:
    """What is in a slot: name, type by its id, and the byte of the word at which it begins.

    Byte 0 is the last of the word. For an array whose elements share slots, `name` is the array's
    name, `kind` the elements' type, and `first` and `count` say which elements are in the slot.
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

CONTENT = "t_content"
UNKNOWN = "t_"
OWN_TYPES = {CONTENT: SlotType("", shape=Shape.CONTENT), UNKNOWN: SlotType("")}
"""Types that no layout has: part of a string, and of a struct whose members are not known."""


def fork_note(block: int) -> str:
    """What to say of the storage of a contract with mappings that is older than a fork."""
    return (
        f"Of mappings only keys used since the fork at block {block:,} are known: what is stored "
        "under earlier keys is not shown."
    )


class StorageNames:
    """Names of the slots of an account, by layouts and by what an execution hashed.

    Several layouts are those of a proxy and its implementations: a slot has the variables of all of
    them, the account's own first. `preimages` are hashed bytes by the number that their hash is.
    """

    def __init__(
        self,
        layouts: Sequence[Layout | None],
        preimages: Mapping[int, bytes],
        address_text: AddressText = checksum,
        enum_text: EnumText = lambda _kind, _value: "",
    ) -> None:
        """Read layouts of solc or vyper; anything else gives no names but the well-known."""
        read = [read_layout(layout) for layout in layouts or [None]]
        starts = {slot for _, _, variables in read for slot, _ in variables if slot < END}
        words = [slot.to_bytes(WORD_SIZE) for slot in starts]
        known = {int.from_bytes(keccak(word)): word for word in words}  # hashed by the compiler
        hashes = {**known, **preimages}
        ordered = sorted(hashes)
        self._layouts = [
            _LayoutNames(*each, hashes, ordered, address_text, enum_text) for each in read
        ]

    @property
    def may_have_mappings(self) -> bool:
        known = [layout for layout in self._layouts if layout.variables]
        return not known or any(layout.has_mapping for layout in known)

    @property
    def starts(self) -> list[int]:
        """The slots of the layouts' variables, of a long one the first `MAX_SHOWN`.

        Not those of mappings, which are always empty, nor elements of dynamic arrays.
        """
        return sorted({slot for layout in self._layouts for slot in layout.starts()})

    def find(self, slot: int) -> str | None:
        """The name of a slot: a variable, with keys and members; several if they share it."""
        names: dict[str, None] = {}
        for layout in self._layouts:
            names |= dict.fromkeys(map(layout.name, layout.variables_in(slot)))
        more = ["..."] if len(names) > MAX_NAMES else []
        return ", ".join([*islice(names, MAX_NAMES), *more]) or None

    def elements(self, slot: int, length: int) -> list[int]:
        """Slots of the first elements of a dynamic array of that length; empty if it is none."""
        return [each for layout in self._layouts for each in layout.elements(slot, length)]

    @property
    def mappings(self) -> list[str]:
        """The mappings with the types of their keys: `orders[address][uint256]`."""
        return [text for layout in self._layouts for text in layout.mappings()]

    def keyed(self, written: str, account: AccountAddress) -> tuple[list[int], dict[int, bytes]]:
        """The slots of `orders[0x12..][3]`, and what is hashed for them; raises `InvalidInput`."""
        name, *keys = written.strip().removesuffix("]").replace("][", "[").split("[")
        for layout in self._layouts:
            if found := layout.keyed(name.strip(), keys, account):
                return found
        known = [each for each in self.mappings if each.partition("[")[0] == name.strip()]
        if known:
            raise InvalidInput(f"{name.strip()} is a mapping: write its keys, {known[0]}")
        raise InvalidInput(f"{written[:80]!r} is no variable of the layout")

    def is_content(self, slot: int) -> bool:
        """Whether a slot has a part of a string or bytes, which begins in another slot."""
        return any(
            variable.kind == CONTENT
            for layout in self._layouts
            for variable in layout.variables_in(slot)
        )

    def describe(self, slot: int, word: int) -> list[tuple[str, str]]:
        """Names and values of the variables in a slot that has this word; empty if not known."""
        return [(variable.name, variable.value) for variable in self.typed(slot, word)]

    def typed(
        self,
        slot: int,
        word: int,
        read: Callable[[int], int] | None = None,
        *,
        whole: bool = False,
    ) -> list[TypedValue]:
        """The variables in a slot that has this word, with types; empty if they are not known.

        With `read`, which gives the words of other slots, a long string has its content, if it is
        `whole` all of it.
        """
        described: dict[str, TypedValue] = {}
        for layout in self._layouts:
            for value in layout.typed(slot, word, read, whole=whole):
                described.setdefault(value.name, value)
        return list(described.values())

    def is_removed(self, slot: int, read: Callable[[int], int]) -> bool:
        """Whether all that a slot can have are elements behind the length of a DynArray of Vyper.

        Its code does not clear the slots of elements that it removes.
        """
        return all(
            (variables := layout.variables_in(slot))
            and all(
                any(read(slot - back) <= index for back, index in variable.counters)
                for variable in variables
            )
            for layout in self._layouts
        )


@dataclass(slots=True)
class _LayoutNames:
    is_vyper: bool
    types: Mapping[str, SlotType]
    variables: Sequence[tuple[int, Variable]]
    preimages: Mapping[int, bytes]
    hashes: Sequence[int]
    address_text: AddressText
    enum_text: EnumText
    _left: int = 0

    @property
    def has_mapping(self) -> bool:
        return any(kind.shape is Shape.MAPPING for kind in self.types.values())

    def starts(self) -> Iterator[int]:
        for slot, variable in self.variables:
            kind = self._type(variable)
            if kind.shape is not Shape.MAPPING:
                count = 1 if kind.shape is Shape.COUNTED else min(kind.slots, MAX_SHOWN)
                yield from range(slot, min(slot + count, END))

    def mappings(self) -> Iterator[str]:
        for _, variable in self.variables:
            text, kind = variable.name, self._type(variable)
            for _ in range(MAX_NESTED):
                if kind.shape is not Shape.MAPPING:
                    break
                text += f"[{self._type(kind.key).label}]"
                kind = self._type(kind.element)
            if text != variable.name:
                yield text

    def keyed(
        self, name: str, keys: Sequence[str], account: AccountAddress
    ) -> tuple[list[int], dict[int, bytes]] | None:
        for start, variable in self.variables:
            if variable.name != name:
                continue
            slot, kind, preimages = start, self._type(variable), dict[int, bytes]()
            for key in keys:
                if kind.shape is not Shape.MAPPING:
                    break
                of_key = self._type(kind.key)
                text = key.strip().strip('"') if of_key.value.kind is Kind.STRING else key
                typed = parse_typed(abi_param(of_key), text, account)
                preimage = key_preimage(slot, of_key, typed, is_vyper=self.is_vyper)
                slot = int.from_bytes(keccak(preimage))
                preimages[slot] = preimage
                kind = self._type(kind.element)
            if len(preimages) == len(keys) and kind.shape is not Shape.MAPPING:
                return [*range(slot, slot + min(kind.slots, MAX_SHOWN))], preimages
        return None

    def elements(self, slot: int, length: int) -> Iterator[int]:
        for variable in self.variables_in(slot):
            kind = self._type(variable)
            element = self._type(kind.element)
            if kind.shape is Shape.LIST:
                in_slot = max(WORD_SIZE // element.size, 1)
                slots = min(-(-length // in_slot) * element.slots, MAX_SHOWN)
                first = int.from_bytes(keccak(slot.to_bytes(WORD_SIZE)))
                yield from range(first, min(first + slots, END))
            elif kind.shape is Shape.COUNTED:
                slots = min(length * element.slots, MAX_SHOWN - 1, kind.slots - 1)
                yield from range(slot + 1, slot + 1 + slots)

    def typed(
        self, slot: int, word: int, read: Callable[[int], int] | None, *, whole: bool
    ) -> Iterator[TypedValue]:
        most = MAX_WHOLE_TEXT if whole else MAX_TEXT
        for variable in self.variables_in(slot):
            kind = self._type(variable)
            if variable.count:
                for index in range(variable.count):
                    name = f"{variable.name}[{variable.first + index}]"
                    value = self._value(kind, word >> (8 * index * kind.size))
                    yield TypedValue(name, kind.label, value)
            elif read and (content := content_at(kind, slot, word, read, most)) is not None:
                text = _text(content, is_text=kind.value.kind is Kind.STRING, whole=whole)
                yield TypedValue(variable.name, kind.label, text)
            elif kind.shape in LENGTHS:
                yield TypedValue(self.name(variable), "uint256", str(word))
            else:
                value = self._value(kind, word >> (8 * variable.byte))
                yield TypedValue(variable.name, kind.label, value)

    def name(self, variable: Variable) -> str:
        if variable.count:
            last = variable.first + variable.count - 1
            return f"{variable.name}[{variable.first}..{last}]"
        is_length = self._type(variable).shape in LENGTHS
        return f"{variable.name} (length)" if is_length else variable.name

    def _type(self, variable: Variable | str) -> SlotType:
        name = variable if isinstance(variable, str) else variable.kind
        return self.types.get(name) or OWN_TYPES.get(name) or SlotType(name.removeprefix("t_"))

    # The variables in a slot

    def variables_in(self, slot: int) -> list[Variable]:
        if slot in WELL_KNOWN:
            return [WELL_KNOWN[slot]]
        self._left = MAX_STEPS
        return self._at(slot, 0)

    def _at(self, slot: int, depth: int) -> list[Variable]:
        if depth:  # once for each slot all are looked at
            self._left -= len(self.variables)
        if self._left < 0:
            return []
        direct = [
            inner
            for start, variable in self.variables
            if start <= slot < start + self._type(variable).slots
            for inner in self._inside(variable, slot - start, 0)
        ]
        return direct or (self._behind_hash(slot, depth) if depth < MAX_NESTED else [])

    def _behind_hash(self, slot: int, depth: int) -> list[Variable]:
        index = bisect_right(self.hashes, slot) - 1
        if index < 0 or slot - self.hashes[index] >= MAX_FAR:
            return []
        preimage, offset = self.preimages[self.hashes[index]], slot - self.hashes[index]
        if len(preimage) < WORD_SIZE:
            return []
        if self.is_vyper:
            parent_slot, key = preimage[:WORD_SIZE], preimage[WORD_SIZE:]
        else:
            parent_slot, key = preimage[-WORD_SIZE:], preimage[:-WORD_SIZE]
        for parent in self._at(int.from_bytes(parent_slot), depth + 1):
            kind = self._type(parent)
            if key and kind.shape is Shape.MAPPING:
                name = f"{parent.name}[{self._key(self._type(kind.key), key)}]"
                return self._inside(Variable(name, kind.element), offset, 0)
            if not key and kind.shape is Shape.TEXT:
                return [Variable(f"{parent.name} (content)", CONTENT)]
            if not key and kind.shape is Shape.LIST:
                return self._elements(parent.name, kind, offset, 0)
        return []

    def _elements(self, name: str, array: SlotType, offset: int, depth: int) -> list[Variable]:
        element = self._type(array.element)
        if element.size > WORD_SIZE // 2:
            variable = Variable(f"{name}[{offset // element.slots}]", array.element)
            return self._inside(variable, offset % element.slots, depth + 1)
        in_slot = WORD_SIZE // element.size
        first = offset * in_slot
        count = min(in_slot, array.count - first) if array.count else in_slot
        return [Variable(name, array.element, 0, first, count)] if count > 0 else []

    def _inside(self, variable: Variable, offset: int, depth: int) -> list[Variable]:
        name, kind = variable.name, self._type(variable)
        self._left -= 1 + len(kind.members)
        if self._left < 0 or depth > MAX_NESTED:
            return []
        match kind.shape:
            case Shape.STRUCT:
                return [
                    inner
                    for start, member in kind.members
                    if start <= offset < start + self._type(member).slots and self._left >= 0
                    for inner in self._inside(
                        replace(member, name=f"{name}.{member.name}"), offset - start, depth + 1
                    )
                ]
            case Shape.ARRAY:
                return self._elements(name, kind, offset, depth)
            case Shape.COUNTED if offset:
                counter = offset, (offset - 1) // self._type(kind.element).slots
                return [
                    replace(element, counters=(*element.counters, counter))
                    for element in self._elements(name, kind, offset - 1, depth)
                ]
            case Shape.COUNTED_TEXT if offset:
                return [Variable(f"{name} (content)", CONTENT)]
        return [variable] if offset == 0 else [Variable(f"{name} + {offset}", UNKNOWN)]

    # Keys and values

    def _key(self, kind: SlotType, key: bytes) -> str:
        is_text = kind.value.kind is Kind.STRING
        if is_text or kind.value.kind is Kind.BYTES:
            if self.is_vyper:
                preimage = self.preimages.get(int.from_bytes(key))
                if preimage is None:
                    return f"hash 0x{key.hex()}"
                key = preimage
            return _text(key, is_text=is_text)
        return self._word(kind, int.from_bytes(key[:WORD_SIZE]))

    def _value(self, kind: SlotType, word: int) -> str:
        value = kind.value
        if kind.shape is Shape.TEXT:
            if word & 1:
                return f"{word >> 1} bytes"
            content = word.to_bytes(WORD_SIZE)[: (word & 0xFF) >> 1]
            return _text(content, is_text=value.kind is Kind.STRING)
        word &= 2 ** (8 * min(kind.size, WORD_SIZE)) - 1
        if value.kind is Kind.FIXED_BYTES and not self.is_vyper:
            word <<= 8 * (WORD_SIZE - value.size)  # at the right of its bytes, unlike on the stack
        return self._word(kind, word)

    def _word(self, kind: SlotType, word: int) -> str:
        value, label = kind.value, kind.label
        if value.kind is Kind.ENUM and (member := self.enum_text(label, word)):
            return member
        # A type of Vyper without a file is an interface or a flag, which has no such values.
        if value.kind is Kind.OTHER and self.is_vyper and word < 2**160:
            is_named = label.isidentifier() and word >= MAX_FLAG
            if is_named or label.endswith(INTERFACE_SUFFIXES):
                return self.address_text(Address(word.to_bytes(20)))
            if word < SMALL:
                return str(word)
        if value.is_word and (value.kind is not Kind.BOOL or word < 2):
            return word_text(value, word, self.address_text)
        return f"0x{word:0{2 * min(kind.size, WORD_SIZE)}x}"


def abi_param(kind: SlotType) -> Param:
    """The ABI type of a value or key; raises `InvalidInput` for what has none."""
    value = kind.value
    label = ABI_NAMES.get(value.kind, kind.label)
    if value.kind is Kind.OTHER and kind.label.endswith(INTERFACE_SUFFIXES):
        label = "address"
    elif value.kind in {Kind.ENUM, Kind.OTHER} and kind.size <= WORD_SIZE:
        label = f"uint{8 * kind.size}"
    try:
        return Param.from_text(label)
    except InvalidInput:
        raise InvalidInput(f"values of type {kind.label} cannot be given") from None


def key_preimage(slot: int, kind: SlotType, key: object, *, is_vyper: bool) -> bytes:
    """What is hashed for the slot of a key in the mapping at a slot."""
    param, parent = abi_param(kind), slot.to_bytes(WORD_SIZE)
    data = param.encode(key)
    if param.kind in {"string", "bytes"}:
        data = data[2 * WORD_SIZE :][: int.from_bytes(data[WORD_SIZE : 2 * WORD_SIZE])]
        data = keccak(data) if is_vyper else data
    return parent + data if is_vyper else data + parent


def content_at(
    kind: SlotType, slot: int, word: int, read: Callable[[int], int], most: int
) -> bytes | None:
    """A string of at most `most` bytes whose slot has that word; None if it has others or none."""
    length, first = word, slot + 1
    if kind.shape is Shape.TEXT and word & 1:
        length, first = word >> 1, int.from_bytes(keccak(slot.to_bytes(WORD_SIZE)))
    elif kind.shape is not Shape.COUNTED_TEXT:
        return None
    if length > most:
        return None
    slots = range(first, first + -(-length // WORD_SIZE))
    return b"".join(read(number % END).to_bytes(WORD_SIZE) for number in slots)[:length]


def _text(data: bytes, *, is_text: bool, whole: bool = False) -> str:
    # Text in quotes; what a terminal would act on, or is no text, as hex.
    text = data.decode(errors="replace") if is_text else ""
    is_plain = is_text and text.isprintable() and text.encode() == data
    if whole:
        return f'"{text}"' if is_plain else f"0x{data.hex()}"
    return format_value(text if is_plain else data)


# Reading layouts

ReadLayout = tuple[bool, dict[str, SlotType], list[tuple[int, Variable]]]
"""Whether it is Vyper's, its types by their ids, its variables by their slots."""


def read_layout(layout: Layout | None) -> ReadLayout:
    written: Layout = layout if isinstance(layout, Mapping) else {}
    if "storage" not in written:
        return _read_vyper(written)
    types: dict[str, SlotType] = {}
    described = written.get("types")
    for name, each in described.items() if isinstance(described, Mapping) else ():
        if isinstance(each, Mapping):
            label = str(each.get("label") or name.removeprefix("t_"))
            value = parse_type(label)
            shape = ENCODINGS.get(str(each.get("encoding")), Shape.VALUE)
            members = each.get("members")
            if isinstance(members, list):
                shape = Shape.STRUCT
            elif shape is Shape.VALUE and "base" in each:
                shape = Shape.ARRAY
            types[name] = SlotType(
                label,
                _number(each.get("numberOfBytes")) or WORD_SIZE,
                shape,
                str(each.get("key", "")),
                str(each.get("base") or each.get("value") or ""),
                value.size if value.kind is Kind.ARRAY else 0,
                tuple(_entries(members)),
            )
    return False, types, list(_entries(written["storage"]))


def _entries(written: object) -> Iterator[tuple[int, Variable]]:
    for each in written if isinstance(written, list) else ():
        slot = _number(each.get("slot")) if isinstance(each, Mapping) else None
        if slot is not None:
            byte = min(_number(each.get("offset")) or 0, WORD_SIZE)
            yield slot, Variable(str(each.get("label", "")), str(each.get("type", "")), byte)


def _number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value if value >= 0 else None
    text = str(value)
    is_number = text.isascii() and text.isdigit() and len(text) < MAX_DIGITS
    return int(text) if is_number else None


def _read_vyper(layout: Layout) -> ReadLayout:
    structs = layout.get(STRUCTS)
    types = _VyperTypes(structs if isinstance(structs, Mapping) else {})
    variables = []
    for slot, slots, name, kind in _vyper_variables(layout.get("storage_layout", layout)):
        variables.append((slot, Variable(name, kind)))
        known, size = types.add(parse_type(kind)), slots * WORD_SIZE
        if known.shape is Shape.VALUE or (known.shape is Shape.STRUCT and known.size != size):
            types.known[kind] = SlotType(kind, size)  # a struct of the name may be another one
    return True, types.known, variables


def _vyper_variables(
    written: object, prefix: str = "", depth: int = 0
) -> Iterator[tuple[int, int, str, str]]:
    # Modules have their variables in an object of their own.
    for name, each in written.items() if isinstance(written, Mapping) else ():
        if not isinstance(each, Mapping):
            continue
        slot = _number(each.get("slot"))
        if slot is not None:
            yield slot, _number(each.get("n_slots")) or 1, f"{prefix}{name}", str(each.get("type"))
        elif depth < MAX_NESTED:
            yield from _vyper_variables(each, f"{prefix}{name}.", depth + 1)


class _VyperTypes:
    def __init__(self, structs: Mapping[str, Any]) -> None:
        self.known: dict[str, SlotType] = {}
        self._structs = structs

    def add(self, kind: ValueType, depth: int = 0) -> SlotType:
        if kind.text in self.known or depth > MAX_NESTED:
            return self.known.get(kind.text) or SlotType(kind.text)
        self.known[kind.text] = SlotType(kind.text)  # a struct may contain itself
        self.known[kind.text] = found = self._laid_out(kind, depth)
        return found

    def _laid_out(self, kind: ValueType, depth: int) -> SlotType:
        text, element = kind.text, kind.element
        if kind.kind in {Kind.STRING, Kind.BYTES}:
            words = 1 + -(-kind.size // WORD_SIZE)
            return SlotType(text, words * WORD_SIZE, Shape.COUNTED_TEXT)
        if element is None:
            members = self._structs.get(text)
            if isinstance(members, Sequence):
                return self._struct(text, members, depth)
            return SlotType(text)
        size = self.add(element, depth + 1).size
        if kind.kind is Kind.MAPPING and kind.key:
            return SlotType(text, WORD_SIZE, Shape.MAPPING, kind.key.text, element.text)
        if kind.kind is Kind.LIST:
            size = WORD_SIZE + size * kind.size
            return SlotType(text, size, Shape.COUNTED, element=element.text)
        return SlotType(text, size * kind.size, Shape.ARRAY, element=element.text, count=kind.size)

    def _struct(self, text: str, written: Sequence[Any], depth: int) -> SlotType:
        members = []
        slot = 0
        for each in written:
            match each:
                case [str(name), str(kind)] if self._is_sized(parse_type(kind)):
                    members.append((slot, Variable(name, kind)))
                    slot += self.add(parse_type(kind), depth + 1).slots
                case _:
                    return SlotType(text)
        return SlotType(text, slot * WORD_SIZE, Shape.STRUCT, members=tuple(members))

    def _is_sized(self, kind: ValueType) -> bool:
        # A name that no struct has is that of a flag or an interface, which take a slot.
        if kind.element and kind.kind is not Kind.MAPPING:
            return self._is_sized(kind.element)
        if kind.kind in {Kind.STRING, Kind.BYTES}:
            return kind.size > 0
        is_known = kind.kind is not Kind.OTHER or kind.text[-1:] not in ("", "]")
        return is_known and self._structs.get(kind.text, kind.text) is not None
