"""The variables of a contract by name, to be read and set in its storage.

    vault.storage.owner = alice
    token.storage.balances[bob] = 5

Structs, arrays and mappings are views in turn; other values are Python's, as functions return them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eth_hash.auto import keccak

from devchain.contracts.abi_words import TYPES
from devchain.contracts.storage_names import (
    LENGTHS,
    ReadLayout,
    Shape,
    SlotType,
    abi_param,
    content_at,
    key_preimage,
    read_layout,
)
from devchain.contracts.value_types import Kind
from devchain.errors import InvalidInput
from devchain.text import known_names, printable, shown_argument
from devchain.types import WORD_SIZE, Tag, address_of

MAX_CONTENT = 2**20  # bytes of a string that is read or set
CONTRACT = SlotType("", shape=Shape.STRUCT)  # whose members are the variables
TEXTS = frozenset({Shape.TEXT, Shape.COUNTED_TEXT})


class StorageView:
    """Variables by name, members of a struct, elements of an array or values of a mapping."""

    __slots__ = ("__place",)

    def __init__(self, place: Place) -> None:
        object.__setattr__(self, "_StorageView__place", place)

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("__", "_StorageView__")):  # by copy and pickle
            raise AttributeError(name)
        return self.__place.member(name).value()

    def __setattr__(self, name: str, value: object) -> None:
        self.__place.member(name).assign(value)

    def __getitem__(self, key: object) -> Any:
        return self.__place.item(key).value()

    def __setitem__(self, key: object, value: object) -> None:
        self.__place.item(key).assign(value)

    def __len__(self) -> int:
        return int(self.__place.length())

    def __dir__(self) -> list[str]:
        return sorted(self.__place.members)

    def __repr__(self) -> str:
        return printable(f"<storage of {self.__place.name}: {', '.join(self.__place.members)}>")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is: its slot, and the byte of the word. `read` and `write` are of slots."""

    read: Callable[[int], int]
    write: Callable[[int, int], None]
    layouts: Sequence[ReadLayout]
    name: str
    kind: SlotType = CONTRACT
    slot: int = 0
    byte: int = 0

    @property
    def members(self) -> dict[str, Place]:
        found = {}
        for layout in reversed(self.layouts):
            of_layout = replace(self, layouts=(layout,))
            for start, each in self.kind.members if self.kind.label else layout[2]:
                found[each.name] = of_layout.at(self.slot + start, each.kind, each.name, each.byte)
        return found

    def at(self, slot: int, kind: str, name: str, byte: int = 0) -> Place:
        found = self.layouts[0][1].get(kind) or SlotType(kind.removeprefix("t_"))
        return replace(self, slot=slot % 2**256, kind=found, name=name, byte=byte)

    def member(self, name: str) -> Place:
        members = self.members if self.kind.shape is Shape.STRUCT else {}
        if name not in members:
            text = f"{self.name} has no variable {name} in storage: {known_names(name, members)}"
            raise AttributeError(printable(text))
        return members[name]

    def item(self, key: Any) -> Place:
        of, shape, name = self.kind, self.kind.shape, f"{self.name}[{shown_argument(key)}]"
        if shape is Shape.STRUCT:
            return self.member(str(key))
        if shape is Shape.MAPPING:
            of_key = self.at(0, of.key, name).kind
            preimage = key_preimage(self.slot, of_key, key, is_vyper=self.layouts[0][0])
            return self.at(int.from_bytes(keccak(preimage)), of.element, name)
        if not isinstance(key, int) or not -self.length() <= key < self.length():
            raise IndexError(f"{name}: the length is {self.length()}")
        index, element = key % self.length(), self.at(0, of.element, name).kind
        first = self.behind if shape is Shape.LIST else self.slot + (shape is Shape.COUNTED)
        in_slot = max(WORD_SIZE // element.size, 1)
        slot = first + index // in_slot * element.slots
        return self.at(slot, of.element, name, index % in_slot * element.size)

    @property
    def behind(self) -> int:
        return int.from_bytes(keccak(self.slot.to_bytes(WORD_SIZE)))

    def length(self) -> int:
        if self.kind.shape not in LENGTHS | {Shape.ARRAY}:
            raise InvalidInput(f"{self.name} has no elements that can be counted")
        return self.kind.count or self.read(self.slot)

    def value(self) -> Any:
        kind, mask = self.kind, 256 ** min(self.kind.size, WORD_SIZE) - 1
        if kind.shape in TEXTS:
            content = self._content()
            return content.decode(errors="replace") if kind.value.kind is Kind.STRING else content
        if kind.shape is not Shape.VALUE:
            return StorageView(self)
        word = self.read(self.slot) >> (8 * self.byte) & mask
        if kind.value.kind is Kind.FIXED_BYTES and not self.layouts[0][0]:  # at the right there
            word <<= 256 - 8 * kind.value.size
        elif kind.value.is_signed and 2 * word > mask:
            word |= 2**256 - 1 - mask
        _, decode = TYPES.get(abi_param(kind).kind, (None, int.from_bytes))
        value = decode(word.to_bytes(WORD_SIZE))
        return word if value is None else value

    def assign(self, value: Any) -> None:
        """Write a value; raises `InvalidInput` if it is not of the type."""
        kind = self.kind
        if kind.shape not in TEXTS | {Shape.VALUE}:
            raise InvalidInput(f"{self.name} is a {kind.label}: set its parts")
        param = replace(abi_param(kind), name=self.name)
        if kind.value.kind is Kind.OTHER and param.kind != "address" and not isinstance(value, int):
            value = int.from_bytes(address_of(value))  # of an interface of Vyper
        encoded = param.encode(value)
        if kind.shape in TEXTS:
            self._write_content(encoded[2 * WORD_SIZE :][: int.from_bytes(encoded[32:64])])
            return
        word, mask = int.from_bytes(encoded), 256 ** min(kind.size, WORD_SIZE) - 1
        if kind.value.kind is Kind.FIXED_BYTES and not self.layouts[0][0]:
            word >>= 256 - 8 * kind.value.size
        kept = self.read(self.slot) & ~(mask << 8 * self.byte)
        self.write(self.slot, kept | (word & mask) << 8 * self.byte)

    def _content(self) -> bytes:
        word = self.read(self.slot)
        if self.kind.shape is Shape.TEXT and not word & 1:
            return word.to_bytes(WORD_SIZE)[: (word & 0xFF) >> 1]
        content = content_at(self.kind, self.slot, word, self.read, MAX_CONTENT)
        if content is None:
            raise InvalidInput(f"{self.name} has more than {MAX_CONTENT:,} bytes")
        return content

    def _write_content(self, content: bytes) -> None:
        size, in_text = len(content), self.kind.shape is Shape.TEXT
        if size > (most := MAX_CONTENT if in_text else self.kind.value.size):
            raise InvalidInput(f"{self.name} holds at most {most} bytes, got {size}")
        padded = content.ljust(-(-size // WORD_SIZE) * WORD_SIZE, b"\0")
        words = [int.from_bytes(padded[at : at + WORD_SIZE]) for at in range(0, size, WORD_SIZE)]
        first = self.behind if in_text else self.slot + 1
        if in_text and size < WORD_SIZE:
            self.write(self.slot, 2 * size | sum(words))
            return
        self.write(self.slot, 2 * size + 1 if in_text else size)
        for slot, word in enumerate(words, first):
            self.write(slot % 2**256, word)


def open_storage(contract: Any) -> StorageView:
    """The variables of a contract, a `ContractApi`; raises `InvalidInput` without a layout."""
    chain, where = contract.chain, address_of(contract.address)
    layouts = [artifact.storage_layout for artifact in chain.artifacts_at(where)]
    known = [each for layout in layouts if layout and (each := read_layout(layout))[2]]
    if not known:
        text = f"the storage layout of {contract.name} is not known: see docs/failures.md"
        raise InvalidInput(printable(text))

    def read(slot: int) -> int:
        return int(chain.state_at(contract.block).storage(where, slot))

    def write(slot: int, word: int) -> None:
        if contract.block is not Tag.LATEST:
            raise InvalidInput("variables can be set after the newest block only")
        chain.set_storage(where, slot, word)

    return StorageView(Place(read, write, known, contract.name))
