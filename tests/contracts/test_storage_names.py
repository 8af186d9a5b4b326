"""`devchain.contracts.storage_names`: names of storage slots."""

from __future__ import annotations

from typing import Any

import pytest
from eth_hash.auto import keccak

from devchain.contracts.storage_names import StorageNames

ALICE = 0xF39F << 144


def entry(label: str, slot: int, kind: str, offset: int = 0) -> dict[str, Any]:
    """A variable, or a member of a struct, as solc writes it."""
    return {"label": label, "slot": str(slot), "offset": offset, "type": kind}


def value(size: int) -> dict[str, Any]:
    """A type of so many bytes."""
    return {"encoding": "inplace", "numberOfBytes": str(size)}


def mapping(key: str, kind: str) -> dict[str, Any]:
    """A mapping's type."""
    return {"encoding": "mapping", "key": key, "value": kind, "numberOfBytes": "32"}


SOLIDITY = {
    "storage": [
        entry("total", 0, "t_uint256"),
        entry("small", 1, "t_uint8"),
        entry("owner", 1, "t_address", 1),
        entry("balances", 2, "allowances"),
        entry("notes", 3, "notes"),
        entry("points", 4, "points"),
        entry("grid", 5, "grid"),
        entry("bytes_", 9, "t_bytes_storage"),
        entry("packed", 10, "packed"),
        entry("info", 11, "info"),
    ],
    "types": {
        "t_uint256": value(32),
        "t_uint8": value(1),
        "t_uint64": value(8),
        "t_address": value(20),
        "balances": mapping("t_address", "t_uint256"),
        "allowances": mapping("t_address", "balances"),
        "notes": mapping("t_string_memory_ptr", "info"),
        "points": {"encoding": "dynamic_array", "base": "info", "numberOfBytes": "32"},
        "packed": {"encoding": "dynamic_array", "base": "t_uint64", "numberOfBytes": "32"},
        "grid": {"encoding": "inplace", "base": "pair", "numberOfBytes": "128"},
        "pair": {"encoding": "inplace", "base": "t_uint256", "numberOfBytes": "64"},
        "t_bytes_storage": {"encoding": "bytes", "numberOfBytes": "32"},
        "info": {
            "encoding": "inplace",
            "numberOfBytes": "64",
            "members": [
                entry("since", 0, "t_uint64"),
                entry("until", 0, "t_uint64", 8),
                entry("owed", 1, "t_uint256"),
            ],
        },
    },
}

VYPER = {
    "storage_layout": {
        "total": {"slot": 0, "n_slots": 1, "type": "uint256"},
        "allowances": {
            "slot": 1,
            "n_slots": 1,
            "type": "HashMap[address, HashMap[uint256, int128]]",
        },
        "values": {"slot": 2, "n_slots": 4, "type": "DynArray[uint256, 3]"},
        "name": {"slot": 6, "n_slots": 3, "type": "String[40]"},
        "grid": {"slot": 9, "n_slots": 6, "type": "uint256[2][3]"},
        "point": {"slot": 15, "n_slots": 2, "type": "Point"},
        "ledger": {"owed": {"slot": 17, "n_slots": 1, "type": "HashMap[bool, uint256]"}},
    }
}


class Hashes(dict[int, bytes]):
    """Preimages of hashes that were computed in an execution."""

    def of(self, *parts: int | bytes) -> int:
        """The hash of some words or bytes."""
        data = b"".join(each if isinstance(each, bytes) else each.to_bytes(32) for each in parts)
        found = int.from_bytes(keccak(data))
        self[found] = data
        return found


@pytest.fixture
def hashes() -> Hashes:
    """Hashes of an execution."""
    return Hashes()


class TestSolidity:
    @pytest.mark.parametrize(
        ("slot", "name"),
        [
            (0, "total"),
            (1, "small, owner"),
            (4, "points"),
            (5, "grid[0][0]"),
            (8, "grid[1][1]"),
            (9, "bytes_"),
            (11, "info.since, info.until"),
            (12, "info.owed"),
            (13, None),
        ],
    )
    def test_fixed_slots(self, slot: int, name: str | None) -> None:
        """Values, packed values, arrays and structs that begin at a slot of the layout."""
        assert StorageNames(SOLIDITY, {}).find(slot) == name

    def test_mapping(self, hashes: Hashes) -> None:
        """Mappings in mappings, keys by their type."""
        slot = hashes.of(7, hashes.of(ALICE, 2))

        assert StorageNames(SOLIDITY, hashes).find(slot) == f"balances[0x{ALICE:040x}][0x{7:040x}]"

    def test_text_key_and_struct(self, hashes: Hashes) -> None:
        """The key of a string is its text; the value is a struct."""
        slot = hashes.of(b"rent", 3) + 1

        assert StorageNames(SOLIDITY, hashes).find(slot) == 'notes["rent"].owed'

    def test_hostile_key(self, hashes: Hashes) -> None:
        """A text that a terminal would act on is shown as hex."""
        slot = hashes.of(b"\x1b[2J", 3) + 1

        assert StorageNames(SOLIDITY, hashes).find(slot) == "notes[0x1b5b324a].owed"

    def test_arrays(self) -> None:
        """Elements of dynamic arrays, whose hash the compiler may have computed."""
        names, first = StorageNames(SOLIDITY, {}), Hashes()

        assert names.find(first.of(4) + 7) == "points[3].owed"
        assert names.find(first.of(10) + 1) == "packed[4..7]"
        assert names.find(first.of(9) + 1) == "bytes_ (content)"

    def test_unknown_key(self, hashes: Hashes) -> None:
        """A slot that nothing of the execution explains has no name."""
        assert StorageNames(SOLIDITY, hashes).find(2**255 + 5) is None

    def test_proxies(self) -> None:
        """Slots that standards name need no layout."""
        slot = 0x360894A13BA1A3210667C828492DB98DCA3E2076CC3735A920A3CA505D382BBC

        assert StorageNames(None, {}).find(slot) == "EIP-1967 implementation"


class TestVyper:
    @pytest.mark.parametrize(
        ("slot", "name"),
        [
            (0, "total"),
            (2, "values (length)"),
            (4, "values[1]"),
            (6, "name (length)"),
            (8, "name (content)"),
            (9, "grid[0][0]"),
            (12, "grid[1][1]"),
            (16, "point + 1"),
            (18, None),
        ],
    )
    def test_fixed_slots(self, slot: int, name: str | None) -> None:
        """Vyper has arrays and strings in a row behind their length."""
        assert StorageNames(VYPER, {}).find(slot) == name

    def test_mappings(self, hashes: Hashes) -> None:
        """Vyper hashes the slot first, and modules have variables of their own."""
        names = StorageNames(VYPER, hashes)
        nested = hashes.of(hashes.of(1, ALICE), 9)
        of_module = hashes.of(17, 1)
        names = StorageNames(VYPER, hashes)

        assert names.find(nested) == f"allowances[0x{ALICE:040x}][9]"
        assert names.find(of_module) == "ledger.owed[true]"


@pytest.mark.parametrize(
    "layout",
    [
        {"storage": [1, {"slot": "x"}, {"slot": "0"}], "types": {"a": 1}},
        {
            "storage": [entry("a", 0, "loop")],
            "types": {"loop": {"members": [entry("b", 0, "loop")]}},
        },
        {"storage_layout": {"a": 1, "b": {"slot": 0, "type": "[[[,]"}}},
        {"types": {"t": {}}},
    ],
)
def test_strange_layouts(layout: dict[str, Any]) -> None:
    """Layouts that no compiler writes give some name or none."""
    names = StorageNames(layout, {2**200: b"\0" * 32})

    for slot in (0, 1, 2**200 + 1):
        assert isinstance(names.find(slot), str | None)
