"""What is shown at a step: call stack with arguments, storage with names."""

from __future__ import annotations

import re

import pytest

from devchain.debugger.execution import Execution
from devchain.debugger.storage_names import StorageNames
from devchain.debugger.views import SlotView, StorageView, call_stack, storage
from devchain.types import checksum
from tests.debugger.executions import debugger_of, execution_of, successful

KEY = b"\x11" * 20
RENT = int.from_bytes(b"rent".ljust(31, b"\0") + b"\x08", "big")
HASH = 0x1234 << 200


def stack(build: str, case: str) -> list[str]:
    """Titles and places of the call stack where a case fails."""
    debugger = debugger_of(build, case)
    debugger.failure()
    return [f"{each.title} {each.place}" for each in call_stack(debugger.execution, debugger.step)]


def slots(execution: Execution, step: int) -> dict[str, tuple[str, str]]:
    """Values before and now by name, of all contracts."""
    return {
        slot.name: (slot.before, slot.now)
        for view in storage(execution, step)
        for slot in view.slots
    }


class TestCallStack:
    @pytest.mark.parametrize("build", ["solc-0.4", "solc-0.6", "solc-0.8", "solc-0.8-optimized"])
    def test_internal_functions(self, build: str) -> None:
        """Internal functions have their arguments, and the places of their calls."""
        found = stack(build, "nested_internal")

        assert [each.partition(" ")[0] for each in found] == [
            "Structure.inner(amount=10)",
            "Structure.middle(amount=10)",
            "Structure.outer(amount=10)",
        ]
        assert all("Structure.sol:" in each for each in found)

    def test_modifiers(self) -> None:
        """A modifier is a frame of its own, on the function that it is of."""
        found = stack("solc-0.8", "modifier_internal")

        assert [each.rpartition(" ")[0] for each in found] == [
            "Base.check(amount=0)",
            "modifier Base.withHelper",
            "Structure.helped(amount=0)",
        ]

    @pytest.mark.parametrize("build", ["solc-0.4", "solc-0.8", "solc-0.8-ir"])
    def test_proxies(self, build: str) -> None:
        """A proxy is on the stack with its own code, under that of its implementation."""
        found = stack(build, "proxy")

        assert [re.split(r"[( ]", each)[0] for each in found] == [
            "Implementation.spend",
            "Proxy.fallback",
        ]

    def test_without_sources(self) -> None:
        """A contract without source has its address, and the function if an ABI has it."""
        found = stack("solc-0.8", "minimal_proxy")

        assert found[1].startswith("0x")
        assert ".spend(amount=6)" in found[1]

    def test_constructor(self) -> None:
        """A contract that is being created has the arguments of its constructor."""
        assert stack("solc-0.8", "constructor")[-1].startswith("new Child(wanted=")


class TestStorage:
    def test_names_and_values(self) -> None:
        """Variables have their names, and the values before and now."""
        execution = successful("solc-0.8")

        assert slots(execution, 0) == {}
        assert slots(execution, execution.last) == {"total": ("0", "3")}

    def test_mappings(self) -> None:
        """An element of a mapping has the key that was hashed, by the layout of the caller."""
        execution = execution_of("solc-0.8", "external_library")
        found = slots(execution, execution.messages.all[1].last)

        assert any(each.startswith("book.owed[0x") for each in found)

    def test_undone(self) -> None:
        """What a failed message wrote is gone after it."""
        execution = execution_of("solc-0.8", "proxy")
        inner = execution.messages.all[1]

        assert slots(execution, inner.last)["total"] == ("0", "5")
        assert "total" not in slots(execution, execution.last)

    def test_without_a_layout(self) -> None:
        """Without names a slot has its number, and values are in hex."""
        known = successful("solc-0.8")
        execution = Execution(known.trace, type(known.registry)())
        [view] = storage(execution, execution.last)

        top = execution.messages.top.address
        assert view == StorageView(
            checksum(top or b""), (SlotView("slot 0x0", "0x0", "0x3", is_changed=True),)
        )


TYPES = {
    "t_address": {"encoding": "inplace", "label": "address", "numberOfBytes": "20"},
    "t_uint96": {"encoding": "inplace", "label": "uint96", "numberOfBytes": "12"},
    "t_int16": {"encoding": "inplace", "label": "int16", "numberOfBytes": "2"},
    "t_bytes4": {"encoding": "inplace", "label": "bytes4", "numberOfBytes": "4"},
    "t_bool": {"encoding": "inplace", "label": "bool", "numberOfBytes": "1"},
    "t_string": {"encoding": "bytes", "label": "string", "numberOfBytes": "32"},
    "t_pair": {
        "encoding": "inplace",
        "label": "struct Pair",
        "numberOfBytes": "64",
        "members": [
            {"label": "who", "offset": 0, "slot": "0", "type": "t_address"},
            {"label": "owed", "offset": 20, "slot": "0", "type": "t_uint96"},
            {"label": "note", "offset": 0, "slot": "1", "type": "t_string"},
        ],
    },
    "t_pairs": {
        "encoding": "dynamic_array",
        "label": "struct Pair[]",
        "numberOfBytes": "32",
        "base": "t_pair",
    },
    "t_map": {
        "encoding": "mapping",
        "label": "mapping(address => struct Pair)",
        "numberOfBytes": "32",
        "key": "t_address",
        "value": "t_pair",
    },
    "t_small": {
        "encoding": "inplace",
        "label": "int16[20]",
        "numberOfBytes": "64",
        "base": "t_int16",
    },
}
LAYOUT = {
    "storage": [
        {"label": "flag", "offset": 0, "slot": "0", "type": "t_bool"},
        {"label": "id", "offset": 1, "slot": "0", "type": "t_bytes4"},
        {"label": "pair", "offset": 0, "slot": "1", "type": "t_pair"},
        {"label": "list", "offset": 0, "slot": "3", "type": "t_pairs"},
        {"label": "map", "offset": 0, "slot": "4", "type": "t_map"},
        {"label": "small", "offset": 0, "slot": "5", "type": "t_small"},
    ],
    "types": TYPES,
}
VYPER = {
    "storage_layout": {
        "owner": {"type": "address", "slot": 0},
        "owed": {"type": "HashMap[address, HashMap[uint256, uint256]]", "slot": 2},
        "inner": {"count": {"type": "uint256", "slot": 3, "n_slots": 1}},
    }
}


def word(number: int) -> bytes:
    """32 bytes."""
    return number.to_bytes(32, "big")


class TestStorageNames:
    @pytest.mark.parametrize(
        ("slot", "value", "expected"),
        [
            (0, 0x01020304_01, [("flag", "true"), ("id", "0x01020304")]),
            (
                1,
                5 << 160 | int.from_bytes(KEY, "big"),
                [("pair.who", "0x" + "11" * 20), ("pair.owed", "5")],
            ),
            (2, RENT, [("pair.note", '"rent"')]),
            (2, 101, [("pair.note", "50 bytes")]),
            (3, 2, [("list", "length 2")]),
            (HASH + 2, 7 << 160, [("list[1].who", "0x" + "00" * 20), ("list[1].owed", "7")]),
            (HASH * 2, 7 << 160, [
                (f"map[0x{'11' * 20}].who", "0x" + "00" * 20),
                (f"map[0x{'11' * 20}].owed", "7"),
            ]),
            (99, 1, []),
        ],
    )  # fmt: skip
    def test_solc(self, slot: int, value: int, expected: list[tuple[str, str]]) -> None:
        """Packed variables, structs, arrays, mappings and short strings of solc's layout."""
        preimages = {HASH: word(3), HASH * 2: KEY.rjust(32, b"\0") + word(4)}
        names = StorageNames(LAYOUT, preimages, checksum)

        assert names.describe(slot, value) == expected

    def test_packed_elements(self) -> None:
        """Elements of an array that share a slot are all named; numbers have their sign."""
        found = StorageNames(LAYOUT, {}, checksum).describe(6, 0xFFFF)

        assert found[0] == ("small[16]", "-1")
        assert len(found) == 16

    def test_vyper(self) -> None:
        """Variables, nested maps and modules of vyper's layout."""
        outer = HASH, word(2) + KEY.rjust(32, b"\0")
        inner = HASH * 3, word(HASH) + word(8)
        names = StorageNames(VYPER, dict([outer, inner]), checksum)

        assert names.describe(0, 0) == [("owner", "0x" + "00" * 20)]
        assert names.describe(3, 9) == [("inner.count", "9")]
        assert names.describe(HASH * 3, 4) == [(f"owed[0x{'11' * 20}][8]", "4")]

    @pytest.mark.parametrize(
        "layout",
        [
            None,
            {},
            {"storage": [], "types": 3},
            {"storage": [{"label": "a", "slot": "x", "offset": None, "type": "t"}]},
            {"storage_layout": {"a": {"b": {"c": 3}}, "d": 4}},
        ],
    )
    def test_hostile(self, layout: dict[str, object] | None) -> None:
        """A layout of any other form is no error."""
        assert StorageNames(layout, {}, checksum).describe(3, 4) == []

    def test_hostile_cycle(self) -> None:
        """Nor is a type that contains itself."""
        types = {"t": {"encoding": "inplace", "members": [{"label": "a", "slot": 0, "type": "t"}]}}
        layout = {
            "storage": [{"label": "x", "slot": "0", "offset": 0, "type": "t"}],
            "types": types,
        }
        [(name, _)] = StorageNames(layout, {}, checksum).describe(0, 1)

        assert name.startswith("x.a.a")
