"""`devchain.node.persistence.node_persistence`: a node on its data dir"""

from __future__ import annotations

import json
import sqlite3
import stat
import subprocess
import sys
import tarfile
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from eth_keyfile.keyfile import decode_keyfile_json
from hypothesis import given, settings

from devchain.config import Config
from devchain.errors import AccountLocked, ConfigError, StoreFailed
from devchain.evm.failures import FailureKind
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.types import Hash32, MineRequest, Tag
from tests.accounts import ALICE, BOB, CAROL
from tests.actions import deploy, run
from tests.bytecode import COUNTER, EMIT, REVERT, error_payload, word
from tests.conftest import GENESIS_TIME
from tests.scenarios import Step, history, persistent_fingerprint, run_scenario, scenarios

KEY = bytes.fromhex("11" * 32)
REFERENCE = "reference"


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A node on a disk."""
    return Config(network="test", fixed_clock=GENESIS_TIME, data_dir=str(tmp_path))


def reopened(node: Node) -> Node:
    """The node that comes back after that one."""
    node.close()
    return Node(node.config)


class TestStories:
    @settings(max_examples=12)
    @given(scenarios, scenarios)
    def test_reopened(self, before: list[Step], after: list[Step]) -> None:
        """A node that was away goes on as one that was not, to the last hash and trace."""
        plain = Config(network="test", fixed_clock=GENESIS_TIME)
        with TemporaryDirectory() as folder:
            stored, steady = Node(replace(plain, data_dir=folder)), Node(plain)
            for node in (stored, steady):
                run_scenario(node, before)
            with reopened(stored) as again:
                assert persistent_fingerprint(again) == persistent_fingerprint(steady)
                assert history(again) == history(steady)

                for node in (again, steady):
                    run_scenario(node, after)
                with reopened(again) as last:
                    assert persistent_fingerprint(last) == persistent_fingerprint(steady)

    @pytest.mark.parametrize(
        "options",
        [
            {"hardfork": "prague"},
            {"hardfork": "frontier"},
            {"hardfork": "london", "chain_id": 31337},
            {"remasc": True},
            {"hardfork": "orchid"},
        ],
        ids=str,
    )
    def test_rules(self, config: Config, options: dict[str, Any]) -> None:
        """Blocks of every kind of rules come back as they were."""
        with Node(replace(config, **options)) as node:
            contract = deploy(node, EMIT)
            run(node, contract, word(1) * 3)
            run(node, deploy(node, REVERT), error_payload("no"))
            node.mine(MineRequest(blocks=3))
            expected, past = persistent_fingerprint(node), history(node)

            with reopened(node) as again:
                assert persistent_fingerprint(again) == expected
                assert history(again) == past

    def test_more_than_is_kept(self, config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
        """Blocks that memory has no place for are read again, with their states and logs."""
        monkeypatch.setattr("devchain.chain.storage.sqlite_block_store.CACHED_BLOCKS", 3)
        plain = replace(config, data_dir=None)
        with Node(config) as node, Node(plain) as steady:
            for each in (node, steady):
                contract = deploy(each, EMIT)
                for number in range(8):
                    run(each, contract, word(number) * 3)

            assert persistent_fingerprint(node) == persistent_fingerprint(steady)
            assert history(node) == history(steady)
            assert node.chain.find_block(9).hash in node.chain._by_hash  # type: ignore[union-attr]
            assert list(node.chain._by_hash) == [each.hash for each in steady.chain._blocks]
            assert len(node.chain._by_hash) == 10
            with pytest.raises(IndexError, match="no block 10"):
                node.chain._blocks[10]


FORMAT_1 = Path(__file__).parent / "format1"
"""Data dirs and dumps written by an early version, and what that version read in them."""


def contents(node: Node) -> dict[str, Any]:
    """What the JSON files of `format1` say of a node."""
    chain = node.chain
    blocks = chain.blocks_after(-1)
    receipts = [receipt for block in blocks for receipt in block.receipts]
    return {
        "blocks": [each.hash.hex() for each in blocks],
        "root": chain.state_at(Tag.LATEST).root.hex(),
        "receipts": [[each.succeeded, each.gas_used, len(each.logs)] for each in receipts],
        "pool": [tx.hash.hex() for tx in node.mempool.transactions()],
        "snapshots": [[key, each.chain.height] for key, each in node.snapshots.all().items()],
        "accounts": [each.hex() for each in node.accounts.addresses()],
        "impersonated": [each.hex() for each in node.accounts.impersonated()],
        "time": node.clock.now(),
        "running": node.miner.running,
        "gas_limit": chain.next_block_overrides.gas_limit,
    }


@pytest.mark.parametrize(
    ("name", "options"),
    [("rootstock", {"remasc": True}), ("prague", {"hardfork": "prague"})],
    ids=["rootstock", "prague"],
)
class TestFormat1:
    def test_data_dir(
        self, config: Config, tmp_path: Path, name: str, options: dict[str, Any]
    ) -> None:
        """The data dir of an early version opens with everything in it, and goes on."""
        with tarfile.open(FORMAT_1 / f"{name}.data-dir.tar.gz") as packed:
            packed.extractall(tmp_path, filter="data")

        with Node(replace(config, **options)) as node:
            self._check(node, name)

    def test_dump(self, name: str, options: dict[str, Any]) -> None:
        """The dump of an early version loads with everything in it, and goes on."""
        with Node(Config(network="test", fixed_clock=GENESIS_TIME, **options)) as node:
            node.load((FORMAT_1 / f"{name}.dump.gz").read_bytes())

            self._check(node, name)

    def _check(self, node: Node, name: str) -> None:
        assert contents(node) == json.loads((FORMAT_1 / f"{name}.json").read_text())
        assert len(history(node)[1]) > 5  # type: ignore[arg-type]  # every transaction replays
        failed = [
            each.failure
            for block in node.chain.blocks_after(-1)
            for each in block.receipts
            if each.failure
        ]
        assert [(each.kind, each.payload[:4].hex()) for each in failed] == [
            (FailureKind.REVERT, "08c379a0")
        ]
        node.mine(1)
        assert len(node.chain.head.transactions) >= 1
        assert node.revert(1)
        assert node.chain.height == 7


class TestMoments:
    def test_every_write(self, config: Config) -> None:
        """What a request has done is in the file before its answer is given."""
        node = Node(config)
        ask = Dispatcher(node).serve_now
        bodies = [
            {"method": "evm_stopMining"},
            {"method": "evm_increaseTime", "params": [1000]},
            {"method": "eth_sendTransaction", "params": [{"from": _hex(ALICE), "to": _hex(BOB)}]},
            {"method": "hardhat_setBalance", "params": [_hex(CAROL), "0x7"]},
            {"method": "evm_snapshot"},
            {"method": "personal_newAccountWithSeed", "params": ["cow"]},
            {"method": "evm_mine"},
            {"method": "evm_revert", "params": ["0x1"]},
        ]
        for body in bodies:
            answer = ask(json.dumps({"jsonrpc": "2.0", "id": 1, **body}).encode())
            assert answer is not None
            assert b"error" not in answer
            expected = persistent_fingerprint(node)
            _abandon(node)
            node = Node(config)
            ask = Dispatcher(node).serve_now
            assert persistent_fingerprint(node) == expected, body
        node.close()

    def test_several_blocks(self, config: Config) -> None:
        """Blocks asked for together are in the file together, or not at all."""
        node = Node(config)
        seen: list[int] = []
        node.chain.block_listeners.append(lambda block: seen.append(_height_in(config)))

        node.mine(MineRequest(blocks=3))

        assert seen == [0, 0, 0]
        assert _height_in(config) == 3
        node.close()

    def test_interrupted(self, config: Config) -> None:
        """What a bug cuts short is not in the file, and nothing that follows it is."""
        node = Node(config)

        node.chain.block_listeners.append(lambda block: block.number // 0)

        with pytest.raises(ZeroDivisionError):
            node.mine(MineRequest())
        with pytest.raises(StoreFailed, match=r"interrupted by ZeroDivisionError.*start the node"):
            node.miner.mine()
        _abandon(node)
        with Node(config) as again:
            assert again.chain.height == 0


class TestKeys:
    def test_made_and_imported(self, config: Config, tmp_path: Path) -> None:
        """Keys are version 3 files for nobody else to read, locked when they come back."""
        node = Node(config)
        imported = node.accounts.add(KEY, "secret")
        seeded = node.accounts.new_from_seed("seed")

        with reopened(node) as again:
            files = sorted((tmp_path / "test/keystore").glob("UTC--*"))
            assert [path.name[-40:] for path in files] == [imported.hex(), seeded.hex()]
            assert decode_keyfile_json(json.loads(files[0].read_text()), b"secret") == KEY
            assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
            assert again.accounts.addresses()[-2:] == [imported, seeded]
            assert again.accounts.key(seeded) == node.accounts.key(seeded)
            with pytest.raises(AccountLocked):
                again.accounts.key(imported)
            assert again.accounts.open(imported, "secret") == KEY

    def test_new_passphrase(self, config: Config) -> None:
        """A key imported once more has the new passphrase."""
        node = Node(config)
        node.accounts.add(KEY, "old")
        node.persist()
        address = node.accounts.add(KEY, "new")

        with reopened(node) as again:
            assert again.accounts.open(address, "new") == KEY

    def test_removed(self, config: Config, tmp_path: Path) -> None:
        """A key that is given up, by itself or by a revert, is put aside."""
        node = Node(config)
        taken = node.snapshots.take()
        address = node.accounts.add(KEY, "secret")
        node.persist()

        node.revert(taken)

        with reopened(node) as again:
            assert address not in again.accounts.addresses()
        (aside,) = (tmp_path / "test/keystore/removed").iterdir()
        assert decode_keyfile_json(json.loads(aside.read_text()), b"secret") == KEY

    def test_hosted(self, config: Config) -> None:
        """A hosted node holds no keys, and leaves those that are there."""
        with Node(config) as node:
            address = node.accounts.add(KEY, "secret")
        with Node(replace(config, hosted=True, api_key=("key",))) as hosted:
            assert hosted.accounts.addresses() == []

        with Node(config) as again:
            assert address in again.accounts.addresses()

    @pytest.mark.parametrize("text", ["", "{}", "[]", '{"address": "0x12", "version": 3}'])
    def test_no_key(self, config: Config, tmp_path: Path, text: str) -> None:
        """A file that is no key is named."""
        folder = tmp_path / "test/keystore"
        folder.mkdir(parents=True)
        (folder / "UTC--mine").write_text(text)

        with pytest.raises(ConfigError, match="UTC--mine cannot be read as a key"):
            Node(config)


class TestMining:
    def test_as_it_was(self, config: Config) -> None:
        """Mining goes on as callers have set it."""
        node = Node(config)
        node.miner.running = False

        with reopened(node) as again:
            assert not again.miner.running

    def test_other_options(self, config: Config) -> None:
        """Options that are new at a start count for more than what callers set before."""
        with Node(config) as node:
            node.miner.running = False

        with Node(replace(config, block_time=3.0)) as again:
            assert again.miner.checkpoint().block_time == 3.0
            assert again.miner.running


class TestRefusals:
    def test_in_use(self, config: Config) -> None:
        """A folder has one node at a time."""
        with Node(config), pytest.raises(ConfigError, match=r"in use by another node .process"):
            Node(config)
        Node(config).close()

    def test_each_network(self, config: Config, tmp_path: Path) -> None:
        """Networks have a folder each, so that one process can run several."""
        with Node(config), Node(replace(config, network="main")):
            assert {path.name for path in tmp_path.iterdir()} == {"main", "test"}

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"chain_id": 99}, "has chain-id 31, not 99"),
            ({"hardfork": "prague"}, "has hardfork .*, not prague"),
            ({"remasc": True}, "has remasc off, not on"),
        ],
    )
    def test_other_options(self, config: Config, options: dict[str, Any], text: str) -> None:
        """A chain made under other rules is not gone on with."""
        Node(config).close()
        with pytest.raises(ConfigError, match=text):
            Node(replace(config, **options))
        Node(config).close()

    @pytest.mark.parametrize(
        "content", [b"what I wrote last summer" * 100, b"SQLite format 3\0" + b"\1" * 5000]
    )
    def test_foreign_file(self, config: Config, tmp_path: Path, content: bytes) -> None:
        """A file that is no chain is named, and left as it is."""
        path = tmp_path / "test/chain.sqlite"
        path.parent.mkdir()
        path.write_bytes(content)

        with pytest.raises(ConfigError, match=r"chain.sqlite cannot be used as a chain"):
            Node(config)
        assert path.read_bytes() == content

    def test_foreign_database(self, config: Config, tmp_path: Path) -> None:
        """Nor is the database of another program."""
        path = tmp_path / "test/chain.sqlite"
        path.parent.mkdir()
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE recipes (name)")
        other.close()
        before = path.read_bytes()

        with pytest.raises(ConfigError, match="a database of another program"):
            Node(config)
        assert path.read_bytes() == before

    def test_other_version(self, config: Config, tmp_path: Path) -> None:
        """A file of another format says so."""
        Node(config).close()
        with sqlite3.connect(tmp_path / "test/chain.sqlite") as file:
            file.execute("PRAGMA user_version = 7")
        file.close()

        with pytest.raises(ConfigError, match="in format 7, this devchain reads format 1"):
            Node(config)

    @pytest.mark.parametrize(
        ("damage", "text"),
        [
            ("UPDATE blocks SET body = x'c0' WHERE number = 1", "block 1 cannot be read"),
            ("UPDATE blocks SET hash = zeroblob(32) WHERE number = 1", "block 1 cannot be read"),
            ("DELETE FROM blocks WHERE number = 1", "block 1 cannot be read"),
            ("DELETE FROM nodes", "lacks a part of a state"),
        ],
    )
    def test_damage(self, config: Config, tmp_path: Path, damage: str, text: str) -> None:
        """Damage within the file is told when what it hit is asked for."""
        with Node(config) as node:
            run(node, BOB, value=1)
            run(node, BOB, value=1)
        with sqlite3.connect(tmp_path / "test/chain.sqlite") as file:
            file.execute(damage)
        file.close()

        with Node(config) as again, pytest.raises(StoreFailed, match=text):
            again.chain.state_at(1).balance(ALICE)

    def test_reference_engine(self) -> None:
        """The reference engine keeps its states in memory alone."""
        with pytest.raises(ConfigError, match="data-dir needs --engine fast"):
            Config(engine=REFERENCE, data_dir="somewhere")

    def test_no_folder(self, config: Config, tmp_path: Path) -> None:
        """A place where no folder can be made is named."""
        (tmp_path / "file").write_text("")
        with pytest.raises(ConfigError, match=r"data-dir .*file cannot be used: "):
            Node(replace(config, data_dir=str(tmp_path / "file")))

    def test_full_disk(self, config: Config) -> None:
        """A block that cannot be written is not made, and the node says what to do."""
        with Node(config) as node:
            run(node, BOB, value=1)
            assert node._persistence._data_dir
            node._persistence._data_dir.file.write("PRAGMA max_page_count = 1")
            with pytest.raises(StoreFailed, match=r"could not be written .*full"):
                deploy(node, COUNTER * 1_500)
            height = node.chain.height
            _abandon(node)
        with Node(config) as again:
            assert again.chain.height == height


KILLED = """
import sys
import tarfile
from devchain.config import Config
from devchain.node import Node
from devchain.types import TransactionRequest

node = Node(Config(network="test", data_dir=sys.argv[1]))
request = TransactionRequest(*node.accounts.addresses()[:2], value=1)
while True:
    print(node.send(request).hex(), flush=True)
"""


class TestKilled:
    def test_answered_blocks(self, config: Config, tmp_path: Path) -> None:
        """A node killed while it works comes back with every transaction it answered for."""
        told: list[str] = []
        for lives in (1, 30):
            with subprocess.Popen(
                [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True
            ) as process:
                assert process.stdout
                told += islice(process.stdout, lives)
                process.kill()
                told += process.stdout.read().split("\n")[:-1]

        with Node(replace(config, fixed_clock=None)) as node:
            hashes = [Hash32(bytes.fromhex(line)) for line in told]
            assert [each for each in hashes if node.chain.receipt(each) is None] == []
            sent = node.nonce(ALICE, Tag.LATEST)
            assert len(hashes) <= sent <= len(hashes) + 2


def _hex(value: bytes) -> str:
    return f"0x{value.hex()}"


def _abandon(node: Node) -> None:
    """Leave a node as a kill does: nothing is written any more."""
    data_dir = node._persistence._data_dir
    assert data_dir
    node._persistence._data_dir = None
    data_dir.close()


def _height_in(config: Config) -> int:
    """What another process would see."""
    with sqlite3.connect(f"{config.data_dir}/test/chain.sqlite") as file:
        found: int = file.execute("SELECT max(number) FROM blocks").fetchone()[0]
    file.close()
    return found
