"""`devchain.node.dump`, through `Node.dump` and `Node.load`"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from devchain.config import Config
from devchain.errors import ConfigError, InvalidInput, LimitExceeded
from devchain.node import Node
from devchain.node import dump as dumps
from devchain.node.dump import unpack
from devchain.types import MineRequest, Tag
from tests.accounts import ALICE, BOB, UNFUNDED
from tests.actions import deploy, run, send
from tests.bytecode import COUNTER, EMIT, word
from tests.conftest import GENESIS_TIME
from tests.scenarios import Step, history, persistent_fingerprint, run_scenario, scenarios

PLAIN = Config(network="test", fixed_clock=GENESIS_TIME)
KEY = bytes.fromhex("11" * 32)


@cache
def _full_dump() -> bytes:
    with full() as node:
        return node.dump()


Damage = Callable[[dict[str, Any]], object]


def full(config: Config = PLAIN) -> Node:
    """A node with something of everything that is dumped."""
    node = Node(config)
    contract = deploy(node, EMIT)
    run(node, contract, word(1) * 3)
    node.snapshots.take()
    node.chain.set_next_block(minimum_gas_price=2**200)
    node.chain.set_next_block(minimum_gas_price=None)
    node.accounts.add(KEY, "secret")
    node.accounts.new_from_seed("seed")
    run_scenario(node, [("edit", 3), ("snapshot", 0), ("mine", 2), ("stop", 0), ("advance", 4)])
    send(node, BOB, value=1)
    return node


class TestRoundTrip:
    @settings(max_examples=12)
    @given(scenarios, scenarios)
    def test_scenario(self, before: list[Step], after: list[Step]) -> None:
        """Another node continues where the first stopped, with its snapshots and history."""
        with Node(PLAIN) as node, Node(PLAIN) as other:
            run_scenario(node, before)
            other.mine(MineRequest(2))

            other.load(node.dump())

            assert persistent_fingerprint(other) == persistent_fingerprint(node)
            assert history(other) == history(node)
            for each in (node, other):
                run_scenario(each, after)
            assert persistent_fingerprint(other) == persistent_fingerprint(node)

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_to_disk_and_back(self, tmp_path: Path, engine: str) -> None:
        """Either engine's dump can be loaded by a node with a data dir, whose dump is equal."""
        with full(replace(PLAIN, engine=engine)) as node:
            dumped, expected, past = node.dump(), persistent_fingerprint(node), history(node)
        stored = replace(PLAIN, data_dir=str(tmp_path))
        with Node(stored) as first:
            first.load(dumped)
        with Node(stored) as second:
            found = persistent_fingerprint(second)
            assert {**found, "keys": None} == {**expected, "keys": None}
            assert history(second) == past
            assert _without_keys(second.dump()) == _without_keys(dumped)

    @pytest.mark.parametrize("options", [{"hardfork": "prague"}, {"remasc": True}], ids=str)
    def test_rules(self, options: dict[str, Any]) -> None:
        """Chains under other rules are dumped too."""
        config = replace(PLAIN, **options)
        with full(config) as node, Node(config) as other:
            other.load(node.dump())

            assert persistent_fingerprint(other)["blocks"] == persistent_fingerprint(node)["blocks"]
            assert history(other) == history(node)

    def test_keys(self) -> None:
        """Keys keep their passphrases; those without one are unlocked."""
        with full() as node, Node(PLAIN) as other:
            other.load(node.dump())

            imported, seeded = node.accounts.addresses()[-2:]
            assert other.accounts.addresses() == node.accounts.addresses()
            assert other.accounts.open(imported, "secret") == KEY
            assert other.accounts.key(seeded) == node.accounts.key(seeded)
            assert KEY.hex() not in json.dumps(unpack(node.dump()))

    def test_copy(self, tmp_path: Path) -> None:
        """A copy of a node loads dumps independently, and writes no file."""
        path = tmp_path / "dump"
        with Node(replace(PLAIN, dump_state=str(path))) as node:
            node.load(_full_dump())
            copy = node.copy()
            expected = history(node)
            with Node(PLAIN) as other:
                copy.load(other.dump())
            assert copy.chain.height == 0
            copy.close()

            assert not path.exists()
            assert history(node) == expected


class TestFiles:
    def test_exit_and_start(self, tmp_path: Path) -> None:
        """A node writes its dump at exit, and another starts with it."""
        path = tmp_path / "dump"
        with Node(replace(PLAIN, dump_state=str(path))) as node:
            run_scenario(node, [("transfer", 1), ("snapshot", 1), ("mine", 3)])
            expected = persistent_fingerprint(node)
        assert [each.name for each in tmp_path.iterdir()] == ["dump"]

        with Node(replace(PLAIN, load_state=str(path))) as again:
            assert persistent_fingerprint(again) == expected

    def test_hex(self, tmp_path: Path) -> None:
        """A file may also hold the hex text that JSON-RPC returns."""
        path = tmp_path / "dump"
        with Node(PLAIN) as node:
            node.mine(MineRequest(2))
            path.write_text(f"0x{node.dump().hex()}\n")

        with Node(replace(PLAIN, load_state=str(path))) as again:
            assert again.chain.height == 2

    @pytest.mark.parametrize(
        ("text", "says"),
        [(None, "cannot be read: No such file"), ("0xzz", "begins like hex"), ("?", "not a dump")],
    )
    def test_no_dump(self, tmp_path: Path, text: str | None, says: str) -> None:
        """A file that cannot be loaded is refused by its name."""
        path = tmp_path / "dump"
        if text is not None:
            path.write_text(text)

        with pytest.raises(ConfigError, match=f"^load-state .*dump.*{says}"):
            Node(replace(PLAIN, load_state=str(path)))

    @pytest.mark.parametrize(
        ("place", "reason"),
        [
            ("", "is a folder: name a file in it"),
            ("nowhere/dump", r"cannot be written \(No such file or directory\)"),
            ("x" * 300, r"cannot be written \(File name too long\): name a file"),
            ("a\0b", r"cannot be written \(embedded null byte\): name a file"),
        ],
        ids=["folder", "missing folder", "long", "null"],
    )
    def test_no_place(self, tmp_path: Path, place: str, reason: str) -> None:
        """A file that could not be written at exit is refused at the start."""
        with pytest.raises(ConfigError, match=f"dump-state .* {reason}"):
            Node(replace(PLAIN, dump_state=str(tmp_path / place)))

    def test_place(self, tmp_path: Path) -> None:
        """The check at the start leaves no file, and an earlier dump as it is."""
        path = tmp_path / "dump"
        path.write_text("earlier")
        with Node(replace(PLAIN, dump_state=str(path))):
            assert [each.name for each in tmp_path.iterdir()] == ["dump"]
            assert path.read_text() == "earlier"

    def test_place_gone(self, tmp_path: Path) -> None:
        """A dump that cannot be written at exit is an error."""
        folder = tmp_path / "folder"
        folder.mkdir()
        node = Node(replace(PLAIN, dump_state=str(folder / "dump")))
        folder.rmdir()

        with pytest.raises(ConfigError, match=r"cannot be written \(No such file"):
            node.close()

    def test_chain_that_has_begun(self, tmp_path: Path) -> None:
        """A chain in a data dir is not replaced at a start."""
        path = tmp_path / "dump"
        stored = replace(PLAIN, data_dir=str(tmp_path))
        with Node(replace(stored, dump_state=str(path))) as node:
            node.mine(MineRequest())

        with pytest.raises(ConfigError, match="is not empty: leave --load-state out"):
            Node(replace(stored, load_state=str(path)))


def _set(*path: object, value: object) -> Damage:
    def damage(dump: dict[str, Any]) -> None:
        found: Any = dump
        for each in path[:-1]:
            found = found[each]
        found[path[-1]] = value

    return damage


DAMAGES: dict[str, Damage] = {
    "no blocks": _set("blocks", value=[]),
    "blocks swapped": lambda dump: dump["blocks"].reverse(),
    "no block": _set("blocks", 1, value="c0"),
    "no hex": _set("blocks", 1, value="xyz"),
    "transaction changed": lambda dump: dump["blocks"].__setitem__(
        1, dump["blocks"][1].replace("8080", "8081")
    ),
    "no nodes": _set("nodes", value=[]),
    "nodes of garbage": lambda dump: dump["nodes"].append("c0") or dump["nodes"].pop(0),
    "no memory": lambda dump: dump.pop("settings"),
    "clock of text": _set("settings", "clock", "ahead", value="soon"),
    "clock too far": _set("settings", "clock", "ahead", value=10**40),
    "orders of text": _set("settings", "next_block", "gas_limit", value="all"),
    "unknown edit": _set("edited", value={"00" * 32: "11" * 32}),
    "short hash": _set("edited", value={"00": "11" * 32}),
    "pool of garbage": _set("pool", value=[["c0", "00" * 20]]),
    "snapshot of garbage": _set("snapshots", "1", value={}),
    "key of garbage": _set("keys", value={"00": {}}),
    "a list": _set("settings", value=[]),
}


class TestDamage:
    @pytest.fixture
    def dumped(self) -> dict[str, Any]:
        """A dump, unpacked."""
        return unpack(_full_dump())

    @pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
    def test_changes_nothing(self, node: Node, dumped: dict[str, Any], damage: Damage) -> None:
        """A damaged dump is refused, and the node is as it was."""
        run(node, BOB, value=5)
        expected = persistent_fingerprint(node)
        damage(dumped)

        with pytest.raises(InvalidInput, match="the dump is damaged"):
            node.load(json.dumps(dumped).encode())
        assert persistent_fingerprint(node) == expected

    def test_costly_key(self, node: Node, dumped: dict[str, Any]) -> None:
        """A key that would take hours to decrypt is refused."""
        for keystore in dumped["keys"].values():
            keystore["crypto"]["kdfparams"]["n"] = 2**40

        with pytest.raises(InvalidInput, match="takes too long to decrypt"):
            node.load(json.dumps(dumped).encode())

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"network": "main"}, "chain_id 31, this node 30: .* --network"),
            ({"hardfork": "prague"}, "hardfork '.*', this node 'prague': .* --hardfork"),
            ({"remasc": True}, "remasc False, this node True: .* --no-remasc"),
            (
                {"network": "local", "federators": 5},
                "federators None, this node 5: .* --federators",
            ),
        ],
        ids=str,
    )
    def test_other_chain(self, dumped: dict[str, Any], options: dict[str, Any], says: str) -> None:
        """A dump of a chain under other rules is refused with their name."""
        with (
            Node(replace(PLAIN, **options)) as other,
            pytest.raises(InvalidInput, match=f"the dump has {says}"),
        ):
            other.load(json.dumps(dumped).encode())

    def test_bomb(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """Unpacking ends at the size limit."""
        monkeypatch.setattr(dumps, "MAX_DUMP", 2**20)
        with pytest.raises(LimitExceeded, match="more than 1 MiB unpacked"):
            node.load(gzip.compress(bytes(2**24)))

    def test_packed_badly(self, node: Node) -> None:
        """Damaged gzip and endlessly nested lists are refused."""
        for dumped in (
            gzip.compress(b"{}" * 99)[:20],
            b"\x1f\x8b" + bytes(40),
            b"[" * 10**5,
            b"[]",
        ):
            with pytest.raises(InvalidInput, match="not a dump"):
                node.load(dumped)


ANVIL: dict[str, Any] = {
    "block": {"number": "0x2", "beneficiary": "0x" + "00" * 20, "timestamp": hex(2 * 10**9)},
    "accounts": {
        "0x" + UNFUNDED.hex(): {
            "nonce": 1,
            "balance": "0x8ac7230489e80000",
            "code": "0x" + COUNTER.hex(),
            "storage": {"0x" + "00" * 32: "0x" + "00" * 31 + "29"},
        },
        "0x" + ALICE.hex(): {"nonce": 2, "balance": "0x5", "code": "0x", "storage": {}},
    },
    "best_block_number": 2,
    "blocks": [{"header": {}, "transactions": [], "ommers": []}],
    "transactions": [],
    "historical_states": None,
}


class TestAnvil:
    """What anvil 1.x writes: `anvil --dump-state`, and `anvil_dumpState` in gzip."""

    @pytest.mark.parametrize("pack", [lambda text: text, gzip.compress], ids=["plain", "gzip"])
    def test_accounts(self, node: Node, pack: Callable[[bytes], bytes]) -> None:
        """Accounts are those of the dump, others stay, and time continues from the dump's."""
        node.load(pack(json.dumps(ANVIL).encode()))

        state = node.chain.state_at(Tag.LATEST)
        assert (state.balance(UNFUNDED), state.nonce(UNFUNDED)) == (10**19, 1)
        assert (state.balance(ALICE), state.nonce(ALICE), state.code(ALICE)) == (5, 2, b"")
        assert state.balance(BOB) == 10**22
        assert node.clock.now() == 2 * 10**9
        run(node, UNFUNDED, sender=BOB)
        assert node.chain.state_at(Tag.LATEST).storage(UNFUNDED, 0) == 0x2A

    @pytest.mark.parametrize(
        ("value", "says"),
        [
            ({}, "not a dump this node knows"),
            ({"accounts": []}, "not a dump this node knows"),
            ({"accounts": {"0x1": {}}}, "accounts.0x1: not an address"),
            ({"accounts": {"0x" + "11" * 20: 3}}, "accounts.0x1.*: want a JSON object, got 3"),
            ({"accounts": {"0x" + "11" * 20: {"balance": "much"}}}, "balance: want a number"),
            ({"accounts": {"0x" + "11" * 20: {"nonce": 2**64}}}, "nonce: want a number up to 64"),
            ({"accounts": {"0x" + "11" * 20: {"code": "0x1"}}}, "code: want 0x and an even"),
            ({"accounts": {"0x" + "11" * 20: {"storage": {"x": 1}}}}, "storage: want a number"),
            ({"accounts": {}, "block": {"timestamp": True}}, "block.timestamp: want a number"),
        ],
        ids=str,
    )
    def test_refused(self, node: Node, value: dict[str, Any], says: str) -> None:
        """An invalid member is named, and nothing changes."""
        expected = persistent_fingerprint(node)
        with pytest.raises(InvalidInput, match=says):
            node.load(json.dumps(value).encode())
        assert persistent_fingerprint(node) == expected


def _without_keys(dumped: bytes) -> dict[str, Any]:
    """A dump without the keys, which are encrypted with a new salt each time."""
    return {**unpack(dumped), "keys": None}
