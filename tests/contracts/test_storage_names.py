"""`devchain.contracts.storage_names`: names of storage slots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from eth_hash.auto import keccak

from devchain import Config, Node
from devchain.client.http import LocalClient
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.storage_names import StorageNames
from devchain.errors import VmError
from devchain.types import checksum
from tests.bytecode import word
from tests.fuzzing.work import bounded

ALICE = 0xF39F << 144
ALICE_TEXT = checksum(ALICE.to_bytes(20))


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
        "t_string_memory_ptr": {"encoding": "bytes", "label": "string", "numberOfBytes": "32"},
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
        "owner": {"slot": 18, "n_slots": 1, "type": "address"},
        "id": {"slot": 19, "n_slots": 1, "type": "bytes4"},
        "notes": {"slot": 20, "n_slots": 1, "type": "HashMap[String[10], uint256]"},
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
            (4, "points (length)"),
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
        assert StorageNames([SOLIDITY], {}).find(slot) == name

    def test_mapping(self, hashes: Hashes) -> None:
        """Mappings in mappings, keys by their type."""
        slot = hashes.of(7, hashes.of(ALICE, 2))

        assert StorageNames([SOLIDITY], hashes).find(slot) == f"balances[{ALICE_TEXT}][0x{7:040x}]"

    def test_text_key_and_struct(self, hashes: Hashes) -> None:
        """The key of a string is its text; the value is a struct."""
        slot = hashes.of(b"rent", 3) + 1

        assert StorageNames([SOLIDITY], hashes).find(slot) == 'notes["rent"].owed'

    def test_hostile_key(self, hashes: Hashes) -> None:
        """A text that a terminal would act on is shown as hex."""
        slot = hashes.of(b"\x1b[2J", 3) + 1

        assert StorageNames([SOLIDITY], hashes).find(slot) == "notes[0x1b5b324a].owed"

    def test_arrays(self) -> None:
        """Elements of dynamic arrays, whose hash the compiler may have computed."""
        names, first = StorageNames([SOLIDITY], {}), Hashes()

        assert names.find(first.of(4) + 7) == "points[3].owed"
        assert names.find(first.of(10) + 1) == "packed[4..7]"
        assert names.find(first.of(9) + 1) == "bytes_ (content)"


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
            (21, None),
        ],
    )
    def test_fixed_slots(self, slot: int, name: str | None) -> None:
        """Vyper has arrays and strings in a row behind their length."""
        assert StorageNames([VYPER], {}).find(slot) == name

    def test_mappings(self, hashes: Hashes) -> None:
        """Vyper hashes the slot first, and modules have variables of their own."""
        nested = hashes.of(hashes.of(1, ALICE), 9)
        of_module = hashes.of(17, 1)
        of_text = hashes.of(20, hashes.of(b"rent"))
        names = StorageNames([VYPER], hashes)

        assert names.find(nested) == f"allowances[{ALICE_TEXT}][9]"
        assert names.find(of_module) == "ledger.owed[true]"
        assert names.find(of_text) == 'notes["rent"]'


STRUCTS = Path(__file__).parent / "structs.json"


def structs(**changed: object) -> StorageNames:
    """Names of a layout with a struct of two members, in two slots, and one in a mapping."""
    members = {"Pair": [["one", "uint256"], ["two", "bool"]], **changed}
    variables = {
        "pair": {"type": "Pair", "slot": 0, "n_slots": 2},
        "pairs": {"type": "HashMap[uint256, Pair]", "slot": 2, "n_slots": 1},
    }
    preimage = word(2) + word(7)
    layout = {"storage_layout": variables, "structs": members}
    return StorageNames([layout], {int.from_bytes(keccak(preimage)): preimage})


OF_PAIRS = int.from_bytes(keccak(word(2) + word(7)))


class TestVyperStructs:
    """Members are named from the definitions in the sources."""

    def test_compiled(self) -> None:
        """Members of structs in variables, arrays and mappings, with those of structs inside."""
        with Node(Config(artifacts=(str(STRUCTS),))) as node:
            contract = node.deploy("structs")
            contract.bid(5)
            client = LocalClient(node)
            found = client.call("devchain_describeStorage", str(contract.address))
            element = client.call("devchain_describeStorage", str(contract.address), ["0x14"])
            with pytest.raises(VmError, match="too much") as caught:
                contract.bid(500)

        described = [tuple(each.values()) for slot in found for each in slot["variables"]]
        sender = described[0][2]
        assert described[:8] == [
            ("best.who", "address", sender),
            ("best.flags[0]", "bool", "false"),
            ("best.flags[1]", "bool", "false"),
            ("best.inner.z", "uint256", "0"),
            ("best.inner.a", "bool", "true"),
            ("best.state", "State", "0"),
            ("best.note", "String[40]", '""'),
            ("best.recent (length)", "uint256", "0"),
        ]
        assert not any(each[0].startswith("best.recent[") for each in described)
        assert ("best.amount", "uint256", "5") in described
        assert ("listed (length)", "uint256", "0") in described
        assert not any(each[0].startswith("listed[") for each in described)
        assert tuple(element[0]["variables"][0].values()) == ("listed[0].inner.a", "bool", "false")
        assert ("last", "uint256", "1") in described
        assert described[-1] == (f"bids[{sender}].amount", "uint256", "5")
        assert ("best.amount", "500") in caught.value.source_trace.frames[-1].values

    def test_without_text(self) -> None:
        """Without the source the members are numbered: the layout has the struct's name alone."""
        written = json.loads(STRUCTS.read_text())
        del written["input"]
        [artifact] = parse_artifacts(written)

        assert StorageNames([artifact.storage_layout], {}).find(13) == "best + 13"

    def test_two_definitions(self) -> None:
        """A struct that sources define differently keeps numbers."""
        written = json.loads(STRUCTS.read_text())
        written["input"]["sources"]["src/other.vy"] = {"content": "struct Part:\n    z: uint256\n"}
        [artifact] = parse_artifacts(written)

        assert StorageNames([artifact.storage_layout], {}).find(13) == "best + 13"

    def test_members(self) -> None:
        """The names in the layout that the other tests change."""
        names = structs()

        assert names.describe(1, 1) == [("pair.two", "true")]
        assert names.find(OF_PAIRS + 1) == "pairs[7].two"

    @pytest.mark.parametrize(
        "members",
        [
            None,
            5,
            [["one", "uint256"], ["two", ""]],
            [["one", "uint256"], ["two", "DynArray[bool, N]"]],
            [["one", "uint256"], ["two", "bool[N]"]],
            [["one", "uint256"], ["two", "Bytes[N]"]],
            [["one", "uint256"], ["two", "Unclear"]],
            [["one", "uint256"], ["two", "Unclear[2]"]],
            [["one", "uint256"], 7],
            [["one", "uint256"], ["two", "bool" + "[1]" * 10_000]],
        ],
        ids=str,
    )
    def test_unknown_size(self, members: object) -> None:
        """Where the size of a member is not known, no member is named: others are behind it."""
        names = structs(Pair=members, Unclear=None)

        assert names.find(1) == "pair + 1"
        assert names.find(OF_PAIRS) == "pairs[7]"

    def test_other_size(self) -> None:
        """A struct that is not as large as the variable of its type is another one."""
        assert structs(Pair=[["one", "uint256"]]).find(1) == "pair + 1"

    def test_itself(self) -> None:
        """A struct that contains itself, which no compiler writes, comes to an end."""
        members = [[f"m{each}", "Pair[2]"] for each in range(50)]

        assert isinstance(structs(Pair=members).find(1), str)


def test_wide_structs() -> None:
    """Structs of many members within each other, which no compiler writes, come to an end soon."""
    types = {
        f"t_{depth}": {
            "label": f"struct S{depth}",
            "numberOfBytes": str(32 * 10**6),
            "members": [
                {"label": f"m{number}", "offset": 0, "slot": "0", "type": f"t_{depth + 1}"}
                for number in range(1_000)
            ],
        }
        for depth in range(16)
    }
    variable = {"label": "all", "offset": 0, "slot": "0", "type": "t_0"}
    names = StorageNames([{"storage": [variable], "types": types}], {})

    assert bounded(lambda: names.find(7), calls=100_000, memory=10**6) is None


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
PACKED = {
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
BOB = 0x11 << 152 | 0x22
BOB_TEXT = checksum(BOB.to_bytes(20))
NONE_TEXT = "0x" + "00" * 20
RENT = int.from_bytes(b"rent".ljust(31, b"\0") + b"\x08")
HASH = 0x1234 << 200


class TestDescribe:
    """Names with values."""

    @pytest.mark.parametrize(
        ("slot", "value", "expected"),
        [
            (0, 0x01020304_01, [("flag", "true"), ("id", "0x01020304")]),
            (1, 5 << 160 | BOB, [("pair.who", BOB_TEXT), ("pair.owed", "5")]),
            (2, RENT, [("pair.note", '"rent"')]),
            (2, 101, [("pair.note", "50 bytes")]),
            (3, 2, [("list (length)", "2")]),
            (HASH + 2, 7 << 160, [("list[1].who", NONE_TEXT), ("list[1].owed", "7")]),
            (HASH * 2 + 1, 67, [(f"map[{BOB_TEXT}].note", "33 bytes")]),
            (99, 1, []),
        ],
    )
    def test_solc(self, slot: int, value: int, expected: list[tuple[str, str]]) -> None:
        """Packed variables, structs, arrays, mappings and short strings of solc's layout."""
        preimages = {HASH: (3).to_bytes(32), HASH * 2: BOB.to_bytes(32) + (4).to_bytes(32)}
        names = StorageNames([PACKED], preimages)

        assert names.describe(slot, value) == expected

    def test_packed_elements(self) -> None:
        """Elements of an array that share a slot are all named; numbers have their sign."""
        names = StorageNames([PACKED], {})

        assert names.describe(5, 0xFFFF)[:2] == [("small[0]", "-1"), ("small[1]", "0")]
        assert [name for name, _ in names.describe(6, 0)] == [f"small[{n}]" for n in range(16, 20)]
        assert names.find(6) == "small[16..19]"

    def test_vyper(self, hashes: Hashes) -> None:
        """Variables, nested maps, arrays and modules of vyper's layout."""
        owed = hashes.of(hashes.of(1, BOB), 9)
        names = StorageNames([VYPER], hashes)

        assert names.describe(2, 3) == [("values (length)", "3")]
        assert names.describe(4, 2**255) == [("values[1]", str(2**255))]
        assert names.describe(18, BOB) == [("owner", BOB_TEXT)]
        assert names.describe(19, 0x01020304 << 224) == [("id", "0x01020304")]
        assert names.describe(owed, 2**256 - 4) == [(f"allowances[{BOB_TEXT}][9]", "-4")]

    def test_proxies(self) -> None:
        """What is in the slot of a proxy is an address."""
        slot = int.from_bytes(keccak(b"eip1967.proxy.admin")) - 1

        assert StorageNames([None], {}).describe(slot, BOB) == [("EIP-1967 admin", BOB_TEXT)]

    def test_types(self) -> None:
        """Types are as in the source, a length is a number."""
        names = StorageNames([PACKED], {})

        assert names.typed(0, 1)[0] == ("flag", "bool", "true")
        assert names.typed(3, 2) == [("list (length)", "uint256", "2")]
        assert StorageNames([VYPER], {}).typed(18, BOB) == [("owner", "address", BOB_TEXT)]

    def test_content(self) -> None:
        """A long string has its content where other slots can be read, unless it is too long."""
        content = int.from_bytes(keccak(word(2)))
        names, words = StorageNames([PACKED], {}), {content: b"x" * 32, content + 1: b"y".ljust(32)}

        def read(slot: int) -> int:
            return int.from_bytes(words[slot])

        assert names.typed(2, 2 * 33 + 1, read)[0].value == f'"{"x" * 32}y"'
        assert names.typed(2, 2 * 1_025 + 1, read)[0].value == "1025 bytes"
        assert names.typed(2, 2**256 - 1, read)[0].value == f"{2**255 - 1} bytes"

    def test_content_of_vyper(self) -> None:
        """Vyper's strings begin with their length, and their content is in the slots behind."""
        words = [33, int.from_bytes(b"x" * 32), ord("y") << 248]
        names = StorageNames([VYPER], {})
        read = dict(enumerate(words, 6)).__getitem__

        assert names.typed(6, 33, read) == [("name", "String[40]", f'"{"x" * 32}y"')]
        assert names.typed(6, 33) == [("name (length)", "uint256", "33")]
        assert [each for each in names.starts if names.is_content(each)] == [7, 8]

    def test_elements(self) -> None:
        """The first elements of a dynamic array begin at the hash of its slot."""
        first = int.from_bytes(keccak(word(3)))
        names = StorageNames([PACKED], {})

        assert names.elements(3, 2) == [*range(first, first + 4)]
        assert len(names.elements(3, 2**256 - 1)) == 16
        assert names.elements(0, 2) == []

    def test_elements_of_vyper(self) -> None:
        """Those that there are, behind their number; all others are left out."""
        names = StorageNames([VYPER], {})

        assert [each for each in range(2, 7) if each in names.starts] == [2, 6]
        assert [names.elements(2, each) for each in (0, 2, 2**256 - 1)] == [[], [3, 4], [3, 4, 5]]

    def test_address_text(self) -> None:
        """Addresses are written as given, in keys and values."""
        names = StorageNames([PACKED], {HASH: BOB.to_bytes(32) + (4).to_bytes(32)}, lambda _: "Bob")

        assert names.describe(HASH, BOB) == [("map[Bob].who", "Bob"), ("map[Bob].owed", "0")]


@pytest.mark.parametrize(
    "layout",
    [
        {"storage": [1, {"slot": "x"}, {"slot": "0"}], "types": {"a": 1}},
        {
            "storage": [entry("a", 0, "loop")],
            "types": {"loop": {"members": [entry("b", 0, "loop")]}},
        },
        {
            "storage": [entry("a", 0, "loop")],
            "types": {"loop": {"encoding": "inplace", "base": "loop", "numberOfBytes": "32"}},
        },
        {"storage": [entry("a", 0, "x", 99)], "types": {"x": {"label": "int" + "9" * 5_000}}},
        {"storage": {"a": 1}, "types": 3},
        {"storage_layout": {"a": {"b": {"c": 3}}, "d": 4}},
        {},
        {"storage_layout": {"a": 1, "b": {"slot": 0, "type": "[[[,]"}}},
        {"types": {"t": {}}},
    ],
)
def test_strange_layouts(layout: dict[str, Any]) -> None:
    """Layouts that no compiler writes give some name or none."""
    names = StorageNames([layout], {2**200: b"\0" * 32})

    for slot in (0, 1, 2**200 + 1):
        assert isinstance(names.find(slot), str | None)
        assert all(
            isinstance(text, str) for pair in names.describe(slot, 2**256 - 1) for text in pair
        )
        assert len(names.elements(slot, 2**256 - 1)) <= 64


class TestStorageNames:
    """Names of an account on whose storage several contracts run."""

    @staticmethod
    def layout(*variables: tuple[str, int, str]) -> dict[str, Any]:
        """A layout of variables, each with name, slot and type."""
        types = {
            "address": {"label": "address", "numberOfBytes": "20"},
            "uint": {"label": "uint256", "numberOfBytes": "32"},
            "map": mapping("uint", "uint"),
            "list": {"encoding": "dynamic_array", "base": "uint", "numberOfBytes": "32"},
        }
        return {
            "storage": [entry(*each) for each in variables],
            "types": {kind: types[kind] for _, _, kind in variables},
        }

    def test_collision(self) -> None:
        """A slot that two contracts use has the variables of both, the account's own first."""
        own, other = self.layout(("admin", 0, "address")), self.layout(("total", 0, "uint"))

        names = StorageNames([own, None, other], {})

        assert names.describe(0, BOB) == [("admin", BOB_TEXT), ("total", str(BOB))]

    def test_same(self) -> None:
        """What the contracts have alike is named once."""
        layout = self.layout(("admin", 0, "address"))

        assert StorageNames([layout, layout], {}).describe(0, BOB) == [("admin", BOB_TEXT)]

    def test_slots(self) -> None:
        """Slots are those of all layouts, with the elements of arrays."""
        own, other = self.layout(("admin", 3, "address")), self.layout(("all", 1, "list"))
        names = StorageNames([own, other], {})

        assert names.starts == [1, 3]
        assert names.elements(1, 1) == [int.from_bytes(keccak(word(1)))]

    def test_may_have_mappings(self) -> None:
        """A layout without variables leaves it to the other; none at all leaves it open."""
        empty, plain = self.layout(), self.layout(("total", 0, "uint"))
        deals = self.layout(("deals", 0, "map"))

        found = [
            StorageNames(each, {}).may_have_mappings
            for each in ([empty, plain], [empty, deals], [plain, deals], [empty], [])
        ]

        assert found == [False, True, True, True, True]


@pytest.mark.parametrize(
    ("kind", "held", "shown"),
    [
        ("uint256", 10**24, str(10**24)),
        ("uint128", 2**127, str(2**127)),
        ("int256", 2**100, str(2**100)),
        ("int256", 2**256 - 5, "-5"),
        ("decimal", 25 * 10**9, "2.5"),
        ("decimal", 2**256 - 10**9, "-0.1"),
        ("decimal", 10**30, f"{10**20}.0"),
        ("bytes4", 0x11223344 << 224, "0x11223344"),
        ("bytes20", 2**255, "0x80" + "00" * 19),
        ("bool", 1, "true"),
        ("address", 10**24, checksum((10**24).to_bytes(20))),
    ],
)
def test_elementary_types_of_vyper(kind: str, held: int, shown: str) -> None:
    """Every elementary type of Vyper is shown as what it is, whatever the size of the value."""
    layout = {"storage_layout": {"kept": {"type": kind, "slot": 2, "n_slots": 1}}}

    assert StorageNames([layout], {}).describe(2, held) == [("kept", shown)]


@pytest.mark.parametrize(
    ("kind", "held", "shown"),
    [
        ("interfaces/IPriceFeed.vyi", ALICE, ALICE_TEXT),
        ("interfaces/IPriceFeed.vyi", 0, checksum(bytes(20))),
        ("Feed", ALICE, ALICE_TEXT),
        ("State", 4, "4"),
    ],
)
def test_interface_of_vyper(kind: str, held: int, shown: str) -> None:
    """A variable of an interface of Vyper is an address, one of a flag a number."""
    layout = {"storage_layout": {"feed": {"type": kind, "slot": 2, "n_slots": 1}}}

    assert StorageNames([layout], {}).describe(2, held) == [("feed", shown)]


def test_removed_elements_of_vyper() -> None:
    """What removed elements of a DynArray have left in storage is not shown as elements."""
    kind = "DynArray[DynArray[uint256, 2], 2]"  # two of a length and two elements, behind a length
    layout = {"storage_layout": {"grid": {"type": kind, "slot": 0, "n_slots": 7}}}
    names = StorageNames([layout], {})
    words = {0: 1, 1: 1, 2: 7, 3: 8, 4: 2, 5: 9}

    def read(slot: int) -> int:
        return words.get(slot, 0)

    left = [slot for slot in words if not names.is_removed(slot, read)]
    shown = [name for slot in left for name, _ in names.describe(slot, 0)]

    assert shown == ["grid (length)", "grid[0] (length)", "grid[0][0]"]
    assert StorageNames([layout], {}).is_removed(3, read)
    assert not names.is_removed(99, read)
